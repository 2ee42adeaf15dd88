/// @file
/// Usage: wan_box NAMESPACE_A NAMESPACE_B ONE_WAY_MS MBIT LOSS_PERCENT. The program creates two network namespaces with the
/// addresses 10.77.0.1 and 10.77.0.2, and a wide-area link between them. The link consists of two TUN devices and this
/// process. This emulation is for kernels without netem. Lost packets are dropped. Without losses, the kernels pass up to 64
/// KiB at a time, as for network cards that segment packets. With single packets, this process would be slower than the
/// link. The program needs root and iproute2. The program prints "up". When standard input ends, the program removes the
/// namespaces and ends.
#include <fcntl.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <random>
#include <string>
#include <vector>

namespace {

using steady = std::chrono::steady_clock;

void run(const std::string& command) {
  if (std::system(command.c_str()) != 0) {
    std::fprintf(stderr, "wan_box: failed: %s\n", command.c_str());
    std::exit(1);
  }
}

/// A TUN device in a new network namespace. This process reads the packets that are sent to the device.
/// @param together true if packets arrive without segmentation, after a virtio_net_hdr
int device_in(const std::string& name, const std::string& address, bool together) {
  run("ip netns add " + name);
  const int home = open("/proc/self/ns/net", O_RDONLY);
  const int there = open(("/var/run/netns/" + name).c_str(), O_RDONLY);
  if (setns(there, CLONE_NEWNET) != 0) std::perror("wan_box: setns"), std::exit(1);
  const int device = open("/dev/net/tun", O_RDWR | O_NONBLOCK);
  ifreq wanted{};
  std::strcpy(wanted.ifr_name, "wan0");
  wanted.ifr_flags = static_cast<short>(IFF_TUN | IFF_NO_PI | (together ? IFF_VNET_HDR : 0));
  if (device < 0 || ioctl(device, TUNSETIFF, &wanted) != 0 ||
      (together && ioctl(device, TUNSETOFFLOAD, TUN_F_CSUM | TUN_F_TSO4) != 0))
    std::perror("wan_box: /dev/net/tun"), std::exit(1);
  run("ip addr add " + address + "/24 dev wan0 && ip link set wan0 mtu 1500 txqueuelen 4000 up && ip link set lo up");
  setns(home, CLONE_NEWNET);
  close(home);
  close(there);
  return device;
}

/// Header of a device without segmentation. linux/virtio_net.h defines this header, but linux/virtio_net.h cannot be
/// compiled as C++.
struct virtio_net_hdr {
  std::uint8_t flags, gso_type;
  std::uint16_t hdr_len, gso_size, csum_start, csum_offset;
};
constexpr std::uint8_t to_be_cut_as_tcp4 = 1;  // value of VIRTIO_NET_HDR_GSO_TCPV4

/// Number of bytes on the link for data that have been read from a device. Each segment has headers of its own.
double bytes_on_link(const char* read, std::size_t n, bool together) {
  if (!together) return static_cast<double>(n);
  virtio_net_hdr options;
  std::memcpy(&options, read, sizeof options);
  const std::size_t bytes = n - sizeof options;
  if (options.gso_type != to_be_cut_as_tcp4) return static_cast<double>(bytes);
  const auto at = [&](std::size_t i) { return static_cast<unsigned char>(read[sizeof options + i]); };
  const std::size_t ip = (at(0) & 15U) * 4, headers = ip + (at(ip + 12) >> 4U) * 4;  // lengths are in words of 4 bytes
  const std::size_t packets = (bytes - headers + options.gso_size - 1) / options.gso_size;
  return static_cast<double>(bytes + (packets - 1) * headers);
}

struct packet {
  steady::time_point due;
  std::vector<char> bytes;
};

struct direction {
  int from, to;
  std::deque<packet> on_the_way;
  steady::time_point free{};  ///< time from which the link can accept the next packet
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 6) return std::fprintf(stderr, "usage: wan_box NAMESPACE_A NAMESPACE_B ONE_WAY_MS MBIT LOSS_PERCENT\n"), 2;
  const std::chrono::duration<double> delay(std::atof(argv[3]) * 1e-3);
  const double bits = std::atof(argv[4]) * 1e6, loss = std::atof(argv[5]) / 100;
  constexpr std::chrono::milliseconds longest_queue(50);  // if the queue is longer, packets are dropped, as in routers
  const bool together = loss == 0;
  const int a = device_in(argv[1], "10.77.0.1", together), b = device_in(argv[2], "10.77.0.2", together);
  std::array<direction, 2> ways{{{a, b, {}, {}}, {b, a, {}, {}}}};
  std::mt19937 random(1);
  std::bernoulli_distribution lost(loss);
  std::vector<char> part(sizeof(virtio_net_hdr) + 65536);
  prctl(PR_SET_TIMERSLACK, 1UL);  // value in ns; by default, the kernel permits a delay of timers of 50 us
  const sched_param urgent{1};
  sched_setscheduler(0, SCHED_FIFO, &urgent);  // this process has priority over processes that wait by polling
  std::puts("up");
  std::fflush(stdout);
  for (bool ended = false; !ended;) {
    auto wake = steady::now() + std::chrono::milliseconds(100);
    for (const direction& w : ways)
      if (!w.on_the_way.empty()) wake = std::min(wake, w.on_the_way.front().due);
    // On a virtual machine, a sleep ends about 100 us late. The last part of the wait therefore uses polling.
    const auto left = std::chrono::duration_cast<std::chrono::microseconds>(wake - steady::now()).count() - 150;
    std::array<pollfd, 3> fds{{{a, POLLIN, 0}, {b, POLLIN, 0}, {0, POLLIN, 0}}};
    const timespec wait{0, std::max<long>(left, 0) * 1000};
    if (ppoll(fds.data(), fds.size(), &wait, nullptr) == 0 && left <= 0) sched_yield();
    if (fds[2].revents != 0) ended = read(0, part.data(), part.size()) <= 0;
    for (direction& w : ways) {
      for (int k = 0; k < 64; ++k) {
        const ssize_t n = read(w.from, part.data(), part.size());
        if (n <= 0) break;
        const auto now = steady::now();
        if (lost(random) || w.free - now > longest_queue) continue;
        w.free = std::max(w.free, now);
        if (bits > 0)
          w.free += std::chrono::duration_cast<steady::duration>(
              std::chrono::duration<double>(bytes_on_link(part.data(), static_cast<std::size_t>(n), together) * 8 / bits));
        w.on_the_way.push_back(
            {w.free + std::chrono::duration_cast<steady::duration>(delay), {part.begin(), part.begin() + n}});
      }
      for (; !w.on_the_way.empty() && w.on_the_way.front().due <= steady::now(); w.on_the_way.pop_front()) {
        const packet& p = w.on_the_way.front();
        if (write(w.to, p.bytes.data(), p.bytes.size()) < 0)
          continue;  // the queue of the device is full, and the packet is lost
      }
    }
  }
  for (const char* name : {argv[1], argv[2]}) run(std::string("ip netns del ") + name);
}
