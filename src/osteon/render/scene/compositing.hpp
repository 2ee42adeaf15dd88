#pragma once
/// @file
/// Options of compositing: pixel format, method and transport.
#include <optional>
#include <osteon/comm/composite/compositor.hpp>
#include <string>

namespace osteon::render {

/// Compositing that the user requests. For a series of pictures, the cost model selects the absent options with measured
/// machine parameters. For a single picture, nothing is measured. The picture is composited by the default method with
/// messages.
struct compositing {
  /// With `wide` pixels, the picture is bitwise independent of the number of ranks. Compared with `wide`, `rgba16f` requires
  /// an eighth of the bytes. `rgba32f` requires a quarter of the bytes of `wide`. The error of `rgba16f` and `rgba32f` is at
  /// most one level of an 8-bit picture. With `rgba8`, a layer must not emit more light than the layer absorbs.
  kernel::colour_format pixels = kernel::colour_format::wide;
  std::optional<comm::transport> by;
  std::string method;   ///< method for messages, in the syntax of plan::composite_method::parse
  bool series = false;  ///< true if many pictures of one size follow

  friend bool operator==(const compositing&, const compositing&) = default;
};

/// Parse `auto`, METHOD, METHOD,TRANSPORT or TRANSPORT (messages, shared, hybrid). A method without a transport uses
/// messages.
/// @throws usage_error for an unknown method or transport, or for a method with the transport shared
compositing parse_compositing(const std::string& text, kernel::colour_format pixels = kernel::colour_format::wide);

/// Default method for messages without measurements. For up to 16 ranks, the method is direct send of drawn pixels. For more
/// ranks, the method is binary swap. Direct send is not the default for more ranks, because its number of messages grows
/// quadratically with the number of ranks.
std::string default_method(int ranks);

/// @throws usage_error if the method does not support this number of ranks @collective local
void check_compositing(const compositing& options, int ranks);

/// Options for opaque pictures. For opaque pictures, `rgba32f` pixels have the same bits as `wide` pixels, and require a
/// quarter of the bytes.
compositing opaque_options(compositing options);

/// Parse a pixel format. @throws usage_error for an unknown name. The message contains the known names.
kernel::colour_format parse_pixels(const std::string& text);

}  // namespace osteon::render
