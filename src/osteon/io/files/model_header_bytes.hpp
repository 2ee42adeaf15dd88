#pragma once
/// @file
/// Serialisation of model headers for messages between ranks of one program (internal to io).
#include <osteon/voxel/model.hpp>
#include <vector>

namespace osteon::io {

std::vector<char> pack(const voxel::model_header& header);
/// @param bytes result of pack() of the same program @throws data_error otherwise
voxel::model_header unpack(const std::vector<char>& bytes);

}  // namespace osteon::io
