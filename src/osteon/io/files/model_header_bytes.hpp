#pragma once
/// @file
/// A model's header as bytes, to travel between ranks of one program (internal to io).
#include <osteon/voxel/model.hpp>
#include <vector>

namespace osteon::io {

std::vector<char> pack(const voxel::model_header& header);
/// @param bytes from pack() of the same program @throws data_error if they are not
voxel::model_header unpack(const std::vector<char>& bytes);

}  // namespace osteon::io
