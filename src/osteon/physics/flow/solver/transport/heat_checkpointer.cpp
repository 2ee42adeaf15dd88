#include <osteon/physics/flow/solver/transport/heat_in_time.hpp>

#include <list>
#include <osteon/base/at.hpp>

namespace osteon::physics {

// A state over the points of the flow and the cells of the temperature. The state owns its values.
struct heat_checkpointer::joined {
  voxel::run_set points;
  std::list<std::vector<double>> doubles;
  std::list<std::vector<float>> floats;
  solver_state state;
  heat_in_time::state heat;

  joined(const solver_state& flow, heat_in_time& of) : points(union_of(*flow.points, of.problem().cells)), heat(of.saved()) {
    state = flow;
    state.points = &points;
    state.vectors.clear();
    for (const grid::point_vector& v : flow.vectors)
      std::visit([&](auto values) { add(v.name, values, *flow.points); }, v.values);
    for (auto& [name, values] : heat.vectors) add(name, std::span(*values), of.problem().cells);
    state.numbers.insert(heat.numbers.begin(), heat.numbers.end());
  }

  // Copy values of the state back to the flow and to the temperature. @param flow state as in the constructor
  void restore(solver_state& flow, const heat_in_time& of) const {
    std::size_t n = 0;
    for (const grid::point_vector& v : flow.vectors)
      std::visit([&](auto values) { take(n++, values, *flow.points); }, v.values);
    for (const auto& [name, values] : heat.vectors) take(n++, std::span(*values), of.problem().cells);
    flow.numbers = state.numbers;
    for (const auto& [name, numbers] : heat.numbers) flow.numbers.erase(name);
  }

 private:
  // Call f(position in this state, position in the other state, length) for pieces of runs.
  template <class F>
  void for_each_piece(const voxel::run_set& there, const F& f) const {
    for (const voxel::run& r : there.runs()) f(points.find(r.z, r.y, r.x), r.first, r.length);
  }
  template <class T>
  void add(const std::string& name, std::span<T> values, const voxel::run_set& of) {
    auto& own = [this]() -> auto& {
      if constexpr (std::is_same_v<T, float>)
        return floats.emplace_back();
      else
        return doubles.emplace_back();
    }();
    own.assign(at(points.size()), 0);
    for_each_piece(of, [&](std::int32_t to, std::int32_t from, std::int32_t n) {
      std::copy_n(values.begin() + from, n, own.begin() + to);
    });
    state.vectors.push_back({name, std::span<T>(own), {1, 0, 1}});
  }
  template <class T>
  void take(std::size_t number, std::span<T> values, const voxel::run_set& of) const {
    const auto own = std::get<std::span<T>>(state.vectors.at(number).values);
    for_each_piece(of, [&](std::int32_t from, std::int32_t to, std::int32_t n) {
      std::copy_n(own.begin() + from, n, values.begin() + to);
    });
  }

  // Return the union of the runs in the box of `a`. The box of `a` must not be shorter than the box of `b`.
  static voxel::run_set union_of(const voxel::run_set& a, const voxel::run_set& b) {
    std::vector<voxel::run> runs;
    const index3 shape = a.shape();
    std::vector<char> row(at(shape.x));
    for (std::int64_t z = 0; z < shape.z; ++z)
      for (std::int64_t y = 0; y < shape.y; ++y) {
        std::fill(row.begin(), row.end(), 0);
        for (const voxel::run& r : a.row(z, y)) std::fill_n(row.begin() + r.x, r.length, 1);
        if (z < b.shape().z && y < b.shape().y)
          for (const voxel::run& r : b.row(z, y)) std::fill_n(row.begin() + r.x, r.length, 1);
        for (std::size_t x = 0; x < row.size(); ++x) {
          if (row[x] == 0) continue;
          if (x == 0 || row[x - 1] == 0)
            runs.push_back({static_cast<std::int32_t>(z), static_cast<std::int32_t>(y), static_cast<std::int32_t>(x), 0, 0});
          ++runs.back().length;
        }
      }
    return {shape, std::move(runs)};
  }
};

void heat_checkpointer::save(const solver_state& state) { checkpoints_.save(joined(state, heat_).state); }
void heat_checkpointer::finish(const solver_state& state) { checkpoints_.finish(joined(state, heat_).state); }

void heat_checkpointer::restore(solver_state& state) {
  joined both(state, heat_);
  checkpoints_.restore(both.state);
  both.restore(state, heat_);
  heat_.restored(both.state.numbers);
}

}  // namespace osteon::physics
