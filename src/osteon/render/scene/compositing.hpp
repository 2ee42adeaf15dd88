#pragma once
/// @file
/// Options of compositing: pixel format, method, transport.
#include <optional>
#include <osteon/comm/composite/compositor.hpp>
#include <string>

namespace osteon::render {

/// Requested compositing. For a series of pictures, absent options are selected by the cost model with the measured machine
/// parameters. A single picture uses the default method with messages, without a measurement.
struct compositing {
  /// With `wide` pixels, the picture is bitwise independent of the number of ranks. Compared with `wide`, `rgba16f` requires
  /// an eighth of the bytes, and `rgba32f` a quarter. The error of both formats is at most one level of an 8-bit picture.
  /// With `rgba8`, no layer may emit more light than the layer absorbs.
  kernel::colour_format pixels = kernel::colour_format::wide;
  std::optional<comm::transport> by;
  std::string method;   ///< method for messages, in the syntax of plan::composite_method::parse
  bool series = false;  ///< many pictures of one size follow

  friend bool operator==(const compositing&, const compositing&) = default;
};

/// Parse `auto`, METHOD, METHOD,TRANSPORT or TRANSPORT (messages, shared, hybrid). A method without a transport uses
/// messages.
/// @throws usage_error for an unknown method or transport, or a method with the transport shared
compositing parse_compositing(const std::string& text, kernel::colour_format pixels = kernel::colour_format::wide);

/// Default method for messages without measurements: direct send of drawn pixels for up to 16 ranks, and binary swap for
/// more ranks. Direct send is not the default for more ranks, because its number of messages grows quadratically with the
/// number of ranks.
std::string default_method(int ranks);

/// @throws usage_error if the method does not support this number of ranks @collective local
void check_compositing(const compositing& options, int ranks);

/// Options for opaque pictures. For opaque pictures, `rgba32f` pixels yield the same bits as `wide` pixels and require a
/// quarter of the bytes.
compositing opaque_options(compositing options);

/// Parse a pixel format. @throws usage_error for an unknown name; the message contains the known names
kernel::colour_format parse_pixels(const std::string& text);

}  // namespace osteon::render
