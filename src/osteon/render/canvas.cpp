#include <osteon/render/canvas.hpp>

#include <algorithm>
#include <cmath>

namespace osteon::render {

namespace {

// Glyphs of the characters ' ' to '~'. A glyph has 35 bits: seven rows of five dots, starting with the upper left dot.
constexpr std::uint64_t glyphs[95] = {
    0x000000000, 0x108421004, 0x294000000, 0x295f57d4a, 0x11f4717c4, 0x632222263, 0x32544564d, 0x108000000, 0x088842082,
    0x208210888, 0x009575480, 0x0084f9080, 0x000003088, 0x0000f8000, 0x00000018c, 0x002222200, 0x3a33ae62e, 0x11842108e,
    0x3a211111f, 0x7c441062e, 0x08ca97c42, 0x7e1e0862e, 0x1910f462e, 0x7c2222108, 0x3a317462e, 0x3a317844c, 0x018c03180,
    0x018c03088, 0x088882082, 0x001f07c00, 0x208208888, 0x3a2111004, 0x3a216d6ae, 0x3a318fe31, 0x7a31f463e, 0x3a308422e,
    0x72518c65c, 0x7e10f421f, 0x7e10f4210, 0x3a30bc62f, 0x4631fc631, 0x38842108e, 0x1c4210a4c, 0x4654c5251, 0x42108421f,
    0x4775ac631, 0x4639ace31, 0x3a318c62e, 0x7a31f4210, 0x3a318d64d, 0x7a31f5251, 0x3e107043e, 0x7c8421084, 0x46318c62e,
    0x46318c544, 0x4631ad6aa, 0x462a22a31, 0x463151084, 0x7c222221f, 0x39084210e, 0x020820820, 0x38421084e, 0x115100000,
    0x00000001f, 0x208200000, 0x000e0be2f, 0x4216cc63e, 0x000e8422e, 0x042d9c62f, 0x000e8fe0e, 0x1928e2108, 0x01f18bc2e,
    0x4216cc631, 0x100c2108e, 0x080610a4c, 0x4212a6292, 0x30842108e, 0x001aad631, 0x0016cc631, 0x000e8c62e, 0x001e8fa10,
    0x000d9bc21, 0x0016cc210, 0x000e8383e, 0x211c42126, 0x00118c66d, 0x00118c544, 0x00118d6aa, 0x001151151, 0x00118bc2e,
    0x001f1111f, 0x088441082, 0x108421084, 0x208411088, 0x0008a8800,
};

// True for each byte of a UTF-8 character except the first byte.
bool continues(char byte) { return (static_cast<unsigned char>(byte) & 0xc0) == 0x80; }

}  // namespace

double canvas::text_width(const std::string& text, int dot) {
  return 6.0 * dot * static_cast<double>(std::count_if(text.begin(), text.end(), [](char c) { return !continues(c); })) -
         dot;
}

void canvas::mix(int x, int y, colour c, double opacity) {
  if (x < 0 || y < first_ || x >= width_ || y >= height_ || !(opacity > 0)) return;
  const std::size_t at =
      (static_cast<std::size_t>(y - first_) * static_cast<std::size_t>(width_) + static_cast<std::size_t>(x)) * 4;
  if (at >= rgba_.size()) return;
  std::uint8_t* const pixel = &rgba_[at];
  for (std::size_t i = 0; i < 3; ++i)
    pixel[i] = static_cast<std::uint8_t>(std::lround(pixel[i] + std::min(opacity, 1.0) * (c[i] - pixel[i])));
  pixel[3] = 255;
}

void canvas::rectangle(double left, double top, double right, double bottom, colour c, double opacity) {
  const auto begin = [](double at, int size) { return static_cast<int>(std::clamp(std::round(at), 0.0, 1.0 * size)); };
  for (int y = begin(top, height_); y < begin(bottom, height_); ++y)
    for (int x = begin(left, width_); x < begin(right, width_); ++x) mix(x, y, c, opacity);
}

void canvas::line(double x0, double y0, double x1, double y1, double thickness, colour c, double opacity) {
  const double dx = x1 - x0, dy = y1 - y0, square = dx * dx + dy * dy, reach = 0.5 * thickness + 1;
  const auto bound = [](double at, int size) { return static_cast<int>(std::clamp(at, 0.0, 1.0 * size)); };
  for (int y = bound(std::min(y0, y1) - reach, height_); y < bound(std::max(y0, y1) + reach + 1, height_); ++y)
    for (int x = bound(std::min(x0, x1) - reach, width_); x < bound(std::max(x0, x1) + reach + 1, width_); ++x) {
      const double px = x + 0.5 - x0, py = y + 0.5 - y0;
      const double t = square > 0 ? std::clamp((px * dx + py * dy) / square, 0.0, 1.0) : 0;
      const double distance = std::hypot(px - t * dx, py - t * dy);
      mix(x, y, c, opacity * std::clamp(0.5 * thickness + 0.5 - distance, 0.0, 1.0));
    }
}

double canvas::text(double left, double top, const std::string& text, int dot, colour c, double opacity) {
  const auto draw = [&](colour with, int grown) {
    double x = std::round(left);
    for (const char letter : text) {
      if (continues(letter)) continue;
      const std::uint64_t glyph = glyphs[letter >= ' ' && letter <= '~' ? letter - ' ' : '?' - ' '];
      for (int row = 0; row < 7; ++row)
        for (int column = 0; column < 5; ++column)
          if (glyph >> (34 - 5 * row - column) & 1)
            rectangle(x + column * dot - grown, std::round(top) + row * dot - grown, x + (column + 1) * dot + grown,
                      std::round(top) + (row + 1) * dot + grown, with, opacity);
      x += 6 * dot;
    }
  };
  if (edge_) draw(*edge_, dot);
  draw(c, 0);
  return text_width(text, dot);
}

}  // namespace osteon::render
