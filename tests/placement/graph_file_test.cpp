#include <gtest/gtest.h>

#include <osteon/base/error.hpp>
#include <osteon/placement/graph/graph.hpp>

namespace osteon::placement::graph_file_test {

// The message of the error for a refused text. The message is empty if the text is read.
std::string refusal(const std::string& text) {
  try {
    parse_graph(text, "g");
  } catch (const data_error& e) {
    return e.what();
  }
  return "";
}

// Oracle: the manual of METIS. The weights of edges follow the neighbours, and the weights of vertices precede them.
TEST(GraphFile, ReadsEveryFormatOfMetis) {
  const graph plain = parse_graph("% a comment\n3 2\n2\n1 3\n2\n", "g");
  EXPECT_EQ(plain.edges(), 2);
  EXPECT_EQ(plain.weights(0)[0], 1);
  const graph weighted = parse_graph("3 2 001\n2 7\n1 7 3 5\n2 5\n", "g");
  EXPECT_EQ(weighted.weights(1)[1], 5);
  EXPECT_EQ(parse_graph("3 2 11 2\n9 9 2 7\n9 9 1 7 3 5\n9 9 2 5\n", "g").weight, weighted.weight);
  EXPECT_EQ(parse_graph("3 2 111 1\r\n4 9 2 7\r\n4 9 1 7 3 5\r\n4 9 2 5\r\n", "g").weight, weighted.weight);
  EXPECT_EQ(parse_graph("2 0\n\n\n", "g").edges(), 0);
  // Oracle: the written graph.
  EXPECT_EQ(parse_graph(metis_text(weighted), "g").to, weighted.to);
  EXPECT_EQ(parse_graph(metis_text(weighted), "g").weight, weighted.weight);
}

TEST(GraphFile, ReadsJson) {
  const graph g = parse_graph(R"({"schema": "osteon.graph/1", "subdomains": 4, "edges": [[0, 1, 10], [3, 1, 20]]})", "g");
  EXPECT_EQ(g.size(), 4);
  EXPECT_EQ(g.weights(1)[1], 20);
  // The weight of a trace is the mean of both directions, rounded up.
  const graph sent =
      parse_graph(R"({"schema": "osteon.graph/1", "subdomains": 2, "sent": [[0, 1, 10], [1, 0, 15], [1, 1, 99]]})", "g");
  EXPECT_EQ(sent.edges(), 1);
  EXPECT_EQ(sent.weights(0)[0], 13);
}

// Oracle: each fault is reported.
TEST(GraphFile, SaysWhatIsWrong) {
  const std::vector<std::pair<const char*, const char*>> faults = {
      {"", "is empty"},
      {"2 1 1\n2 -3\n1 -3\n", "must not be negative"},
      {"2 1 1\n2 3\n1 4\n", "not symmetric: edge 1 - 2 has the weight 3 in one direction and 4 in the other"},
      {"3 1\n2\n\n\n", "1 edges are declared, but 1 neighbours"},
      {"3 1\n2 3\n\n\n", "not symmetric: vertices 1 and 2"},
      {"2 1\n2 2\n", "ends after 1 of 2"},
      {"2 1\n3\n1\n", "neighbour 3 must be a vertex from 1 to 2"},
      {"2 1\n1\n2\n", "to itself"},
      {"2 1\n2\n1\n1\n", "continues after the last vertex"},
      {"2 1 7\n2\n1\n", "format 7"},
      {"2 x\n", "'x' is not a valid number of edges"},
      {"2 1 1\n2\n1 1\n", "missing weight"},
      {"99999999999 1\n", "1 to 2^22"},
      {"2 99999999999999999999\n", "is not a valid number of edges"},
      {"{", "is not valid JSON"},
      {"{}", "schema"},
      {R"({"schema": "osteon.graph/1", "subdomains": 2})", "either"},
      {R"({"schema": "osteon.graph/1", "subdomains": 2, "edges": [[0, 1]]})", "[a, b, bytes]"},
      {R"({"schema": "osteon.graph/1", "subdomains": 2, "edges": [[0, 1, -5]]})", "must not be negative"},
      {R"({"schema": "osteon.graph/1", "subdomains": 2, "edges": [[0, 2, 5]]})", "0 to 1"},
      {R"({"schema": "osteon.graph/1", "subdomains": 2, "edges": [[0, 1, 5], [1, 0, 6]]})", "duplicate pair"},
      {R"({"schema": "osteon.graph/1", "subdomains": 2, "edges": 7})", "must be a list"},
  };
  for (const auto& [text, words] : faults)
    EXPECT_NE(refusal(text).find(words), std::string::npos) << text << "\n" << refusal(text);
  EXPECT_THROW(read_graph("/nowhere/graph"), data_error);
}

}  // namespace osteon::placement::graph_file_test
