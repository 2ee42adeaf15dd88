#pragma once
/// @file
/// Options of compositing the partial images of ranks: pixel format, method, transport.
#include <optional>
#include <osteon/comm/composite/compositor.hpp>
#include <string>

namespace osteon::render {

/// Requested compositing. For a series of pictures, missing options are chosen by the cost model of the measured machine; a
/// single picture is composited by the usual method over messages, without a measurement.
struct compositing {
  /// `wide`: the picture is bitwise independent of the number of ranks. `rgba16f`, `rgba32f`: an error of at most one level
  /// of an 8-bit picture, for an eighth or a quarter of the bytes. `rgba8`: only if no layer emits more light than it
  /// absorbs.
  kernel::colour_format pixels = kernel::colour_format::wide;
  std::optional<comm::transport> by;
  std::string method;   ///< method of messages, in the syntax of plan::composite_method::parse
  bool series = false;  ///< many pictures of one size follow

  friend bool operator==(const compositing&, const compositing&) = default;
};

/// Parse `auto`, METHOD, METHOD,TRANSPORT or TRANSPORT (messages, shared, hybrid). A method without a transport uses
/// messages.
/// @throws usage_error for an unknown method or transport, or a method of shared memory
compositing parse_compositing(const std::string& text, kernel::colour_format pixels = kernel::colour_format::wide);

/// Default method of messages without measurements: direct send of drawn pixels, whose number of messages grows
/// quadratically, up to 16 ranks; binary swap for more.
std::string usual_method(int ranks);

/// @throws usage_error if the method does not support this number of ranks @collective local
void check_compositing(const compositing& how, int ranks);

/// Options for opaque pictures: pixels of a quarter of the bytes then give the same bits as wide pixels.
compositing of_opaque(compositing how);

/// Parse a pixel format of compositing. @throws usage_error with the known names
kernel::colour_format parse_pixels(const std::string& text);

}  // namespace osteon::render
