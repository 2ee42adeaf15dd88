#pragma once
/// @file
/// Memory of a CUDA device. Sources compiled by nvcc use these functions.
#include <cuda_runtime.h>

#include <cstdint>
#include <osteon/base/error.hpp>
#include <string>
#include <utility>
#include <vector>

namespace osteon {

/// @throws machine_error if a CUDA call failed
inline void check_device(cudaError_t result, const char* call) {
  if (result != cudaSuccess)
    throw machine_error(std::string(call) + " on the GPU failed: " + cudaGetErrorString(result) +
                        "; check its memory and driver with nvidia-smi");
}

/// Wait until the device has executed all kernels. The function throws the errors of these kernels.
inline void finish_device() { check_device(cudaDeviceSynchronize(), "execution of a kernel"); }

/// An owned array on the device.
template <class T>
class device_buffer {
 public:
  explicit device_buffer(const std::vector<T>& from) : size_(from.size()) {
    check_device(cudaMalloc(reinterpret_cast<void**>(&data_), bytes()), "allocation of memory");
    if (const cudaError_t result = cudaMemcpy(data_, from.data(), bytes(), cudaMemcpyHostToDevice); result != cudaSuccess) {
      cudaFree(data_);
      check_device(result, "copy to memory");
    }
  }
  device_buffer(device_buffer&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  device_buffer& operator=(device_buffer&&) = delete;
  ~device_buffer() { cudaFree(data_); }

  T* data() const { return data_; }
  std::vector<T> to_host() const {
    std::vector<T> copy(size_);
    check_device(cudaMemcpy(copy.data(), data_, bytes(), cudaMemcpyDeviceToHost), "copy from memory");
    return copy;
  }

 private:
  std::size_t bytes() const { return size_ * sizeof(T); }
  T* data_ = nullptr;
  std::size_t size_;
};

}  // namespace osteon
