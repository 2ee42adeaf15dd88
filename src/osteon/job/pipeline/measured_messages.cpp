#include <osteon/job/pipeline/measured_messages.hpp>

#include <map>
#include <nlohmann/json.hpp>
#include <osteon/comm/collectively.hpp>
#include <osteon/comm/communicator.hpp>
#include <osteon/job/plans/message_times.hpp>
#include <osteon/job/plans/run_network.hpp>
#include <string>

namespace osteon::job {

void add_messages(MPI_Comm comm, const comm::message_ledger& counted, int restarts, nlohmann::ordered_json& summary) {
  const std::vector<comm::message_ledger> all = comm::gathered(comm, counted);
  const rank_network network = network_of_run(comm);
  comm::collectively(comm, [&] {
    if (comm::rank(comm) != 0) return;
    // The messages of a plan may differ between stages. The times are therefore computed by stage.
    std::map<std::string, plan_time> of_plan;
    double sum = 0;
    nlohmann::ordered_json& stages = summary.at("stages");
    for (std::size_t s = 0; s <= stages.size(); ++s) {
      double of_stage = 0;
      for (const comm::plan_traffic& traffic : comm::traffic_of(all, static_cast<int>(s))) {
        const plan_time t = time_of(traffic, network);
        plan_time& known = of_plan[traffic.plan];
        known.seconds += t.seconds;
        known.latency_seconds += t.latency_seconds;
        of_stage += t.seconds;
      }
      if (s > 0) {
        nlohmann::ordered_json& stage = stages[s - 1];
        stage["model_seconds"] = of_stage;
        const double wall = stage.at("seconds");
        if (stage.at("name") == "solving" && wall > 0)
          summary["solver"]["parallel_efficiency"] = 1 - stage.at("waiting_seconds").get<double>() / wall;
      }
      sum += of_stage;
    }
    const std::vector<comm::plan_traffic> plans = comm::traffic_of(all);
    nlohmann::ordered_json described = describe(plans);
    double waited = 0;
    for (std::size_t p = 0; p < plans.size(); ++p) {
      const plan_time& t = of_plan.at(plans[p].plan);
      described[p]["model_seconds"] = t.seconds;
      described[p]["model_latency_seconds"] = t.latency_seconds;
      waited += plans[p].waited_seconds;
    }
    summary["messages"] = {{"restarts", restarts},     {"parts", counted.parts()},
                           {"network", network.words}, {"waited_seconds", waited / comm::size(comm)},
                           {"model_seconds", sum},     {"plans", std::move(described)}};
  });
}

}  // namespace osteon::job
