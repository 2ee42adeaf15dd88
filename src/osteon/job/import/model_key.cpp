#include <osteon/job/import/model_key.hpp>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <osteon/base/digest.hpp>
#include <osteon/base/json_text.hpp>
#include <osteon/job/import/image_files.hpp>
#include <osteon/job/import/label_images.hpp>
#include <osteon/job/physics_entry.hpp>
#include <osteon/job/spec/digest_of_keys.hpp>
#include <osteon/job/spec/key_entry.hpp>
#include <osteon/job/system_info.hpp>
#include <span>

namespace osteon::job {

namespace fs = std::filesystem;
using json = nlohmann::ordered_json;

std::string rules_of_model(const spec& job) {
  const solid_rules solid = physics_of(job).rules(job);
  const json rules = {{"schema", 9},
                      {"keys", values_of_keys(job, key_digest::model)},
                      {"keep", name_of(keep_of(job))},
                      {"joins", solid.must_connect_faces},
                      {"phase", {solid.phase, solid.takes_empty_space, solid.labels, solid.keeps_all, solid.has_others}},
                      {"periodic", solid.periodic},
                      {"percolating", {solid.through, solid.touching}},
                      {"path", fs::absolute(image_path(job)).lexically_normal().string()},
                      {"version", this_build().version}};
  return json_to_text(rules);
}

std::string digest_of_images(const spec& job, const std::function<void()>& poll) {
  if (!job.digests.images.empty()) return job.digests.images;
  std::string text;
  for (const named_file& f : image_files_of(job)) text += fingerprint(f.path, poll);
  return is_one_file(job) ? text : sha256_of(std::as_bytes(std::span(text)));
}

std::string key_of_model(const spec& job, const std::function<void()>& poll) {
  const std::string text = rules_of_model(job) + digest_of_images(job, poll);
  return sha256_of(std::as_bytes(std::span(text)));
}

image_digests digests_of(const spec& job, const stop_query& is_to_stop) {
  if (job.from || !check_image_files(job).empty()) return {};
  const auto poll = [&] { stop_if_requested(is_to_stop, job, "comparing the model with the image"); };
  image_digests all{digest_of_images(job, poll), ""};
  try {
    all.labels = key_of_label_images(job, poll);
  } catch (const data_error&) {  // the import describes the fault
  }
  return all;
}

std::string key_of_label_images(const spec& job, const std::function<void()>& poll) {
  if (!job.digests.labels.empty()) return job.digests.labels;
  std::string text;
  for (const std::string& image : label_images_of(job)) text += fingerprint(absolute_path(job, image), poll);
  return text.empty() ? text : sha256_of(std::as_bytes(std::span(text)));
}

}  // namespace osteon::job
