// The life of datasets over the real program, where a text of SQL does not reach: ids, owners, paths, Parquet files
// that change, definitions and killed workers. Sections "Opening", "Definitions" and "Killed worker" of the contract;
// sentences of it stand in quotation marks.
#include "support/dataset_calls.h"
#include "support/gzip.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <set>

namespace adit::test {
namespace json = boost::json;
namespace fs = std::filesystem;
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

// Runs for many seconds, and takes an interrupt.
constexpr std::string_view kSlowQuery =
    "SELECT count(*) FROM range(100000000) a, range(100000) b WHERE a.range % 7 = b.range % 5";

pid_t only_worker(const ServerProcess& server) {
  EXPECT_TRUE(eventually(5s, [&] { return server.workers().size() == 1; }));
  const auto workers = server.workers();
  return workers.empty() ? -1 : workers.front();
}

// Directories of datasets below a state directory.
std::set<std::string> dataset_directories(const std::string& state) {
  std::set<std::string> names;
  std::error_code error;
  for (const auto& run : fs::directory_iterator(state, error)) {
    for (const auto& entry : fs::directory_iterator(run.path(), error)) {
      if (entry.is_directory(error)) names.insert(entry.path().filename().string());
    }
  }
  return names;
}

std::string listed(ServerProcess& server) {
  std::string ids;
  const auto answer = server.call("list_datasets", {});
  for (const auto& dataset : answer.at("datasets").as_array()) {
    ids.append(ids.empty() ? "" : " ").append(dataset.at("dataset_id").as_string());
  }
  return ids;
}

class Dataset : public testing::Test {
 protected:
  Dataset() { data_.write("numbers.csv", "n\n1\n2\n3\n"); }

  std::string path(std::string_view name) const { return data_.path() + "/" + std::string(name); }

  // One row: x.
  void write_parquet(const std::string& name, int x) const {
    static std::map<int, std::string> made;
    auto& bytes = made[x];
    if (bytes.empty()) {
      const TemporaryDirectory directory;
      const auto file = directory.path() + "/x.parquet";
      ASSERT_EQ(adit_query(path("numbers.csv"), fmt::format("SELECT {} AS x", x), "parquet", file), 0);
      std::ifstream in(file, std::ios::binary);
      bytes.assign(std::istreambuf_iterator<char>(in), {});
    }
    data_.write(name, bytes);
  }

  TemporaryDirectory data_;
};

// ---- "Opening"
// -------------------------------------------------------------------------------------------------------

TEST_F(Dataset, OpeningAnswersIdRelationsColumnsRowCountsTimeAndIssues) {
  data_.write("ragged.csv", "a,b\n1,x\n2\n");
  ServerProcess server(with_root(data_.path()));
  const auto opened = open_paths(server, {"numbers.csv", "ragged.csv"});
  EXPECT_EQ(dataset_of(opened), "dataset-1");
  const auto& relations = opened.at("relations").as_array();
  ASSERT_EQ(relations.size(), 2u);
  EXPECT_EQ(relations[0], json::parse(R"({"name": "numbers", "source": "numbers.csv",
      "columns": [{"name": "n", "type": "BIGINT"}], "row_count": 3})"));
  EXPECT_EQ(relations[1], json::parse(R"({"name": "ragged", "source": "ragged.csv",
      "columns": [{"name": "a", "type": "BIGINT"}, {"name": "b", "type": "VARCHAR"}], "row_count": 1})"));
  EXPECT_GT(opened.at("prepare_ms").to_number<double>(), 0);
  const auto& issues = opened.at("issues").as_array();
  ASSERT_EQ(issues.size(), 2u);
  EXPECT_EQ(issues[1].at("severity"), "warning");
  EXPECT_EQ(issues[1].at("code"), "row_rejected");
  EXPECT_EQ(issues[1].at("source"), "ragged.csv");
  EXPECT_EQ(issues[1].at("line"), 3);
  EXPECT_FALSE(opened.contains("expires"));  // over stdio it lives as long as the process
}

TEST_F(Dataset, IdsAreDataset1Dataset2AndNeverUsedAgain) {
  ServerProcess server(with_root(data_.path()));
  EXPECT_EQ(dataset_of(open_paths(server, {"numbers.csv"})), "dataset-1");
  EXPECT_EQ(dataset_of(open_paths(server, {"numbers.csv"})), "dataset-2");
  EXPECT_EQ(json::value(server.call("close_dataset", {{"dataset_id", "dataset-2"}})),
            json::parse(R"({"dataset_id": "dataset-2", "closed": true})"));
  EXPECT_EQ(dataset_of(open_paths(server, {"numbers.csv"})), "dataset-3");
  EXPECT_EQ(listed(server), "dataset-1 dataset-3");
}

TEST_F(Dataset, AProcessListsItsOwnDatasetsAndForeignIdsLookLikeUnknownOnes) {
  TemporaryDirectory state;
  auto options = with_root(data_.path());
  options.state_dir = state.path();
  ServerProcess first(options), second(options);
  open_paths(first, {"numbers.csv"});
  EXPECT_EQ(listed(first), "dataset-1");
  EXPECT_EQ(listed(second), "");
  const auto foreign = query(second, "dataset-1", {"SELECT 1"});
  auto unknown = query(second, "dataset-7", {"SELECT 1"});
  EXPECT_EQ(of_error(foreign, "kind"), "unknown_dataset");
  auto message = of_error(unknown, "message");
  message.replace(message.find("dataset-7"), 9, "dataset-1");
  unknown.at("error").as_object()["message"] = message;
  EXPECT_EQ(foreign, unknown);
}

TEST_F(Dataset, AnUnknownIdAnywhereIsUnknownDatasetWithHowToOpenOne) {
  ServerProcess server(with_root(data_.path()));
  const auto closed = dataset_of(open_paths(server, {"numbers.csv"}));
  server.call("close_dataset", {{"dataset_id", closed}});
  for (const std::string& id : {closed, std::string("dataset-99"), std::string("../dataset-1"), std::string("é")}) {
    const std::pair<const char*, json::object> calls[] = {{"query", query_arguments(id, {"SELECT 1"})},
                                                          {"describe_dataset", {{"dataset_id", id}}},
                                                          {"close_dataset", {{"dataset_id", id}}},
                                                          {"open_dataset", open_arguments({"numbers.csv"}, id)}};
    for (const auto& [tool, arguments] : calls) {
      const auto answer = server.call(tool, arguments);
      EXPECT_EQ(of_error(answer, "kind"), "unknown_dataset") << tool << " " << id;
      EXPECT_EQ(of_error(answer, "stage"), "dataset") << tool << " " << id;
      EXPECT_NE(of_error(answer, "hint").find("open_dataset"), std::string::npos) << tool << " " << id;
    }
  }
  EXPECT_EQ(listed(server), "");
}

TEST_F(Dataset, NoToolTakesAnOutputPath) {
  ServerProcess server(with_root(data_.path()));
  const std::set<std::string_view> known{"sources", "dataset_id", "sql", "named_temp_queries", "limit", "offset",
                                         "max_bytes", "timing",
                                         // of portals
                                         "domain", "query", "categories", "tags", "only", "order", "search", "select",
                                         "where", "group", "having", "canvas_id"};
  const auto listing = server.request("tools/list");
  const auto& tools = listing.at("result").at("tools").as_array();
  EXPECT_EQ(tools.size(), 9u);
  for (const auto& tool : tools) {
    for (const auto& property : tool.at("inputSchema").at("properties").as_object()) {
      EXPECT_TRUE(known.contains(property.key())) << tool.at("name") << " takes " << property.key();
    }
  }
}

TEST_F(Dataset, NothingIsWrittenOutsideTheStateDirectoryAndNothingStaysThere) {
  TemporaryDirectory state;
  auto options = with_root(data_.path());
  options.state_dir = state.path();
  {
    ServerProcess server(options);
    const auto id = dataset_of(open_paths(server, {"numbers.csv"}));
    EXPECT_EQ(first_cell(query(server, id, {"SELECT count(*) FROM numbers"})), "3");
    EXPECT_EQ(dataset_directories(state.path()), std::set<std::string>{"dataset-1"});
    server.call("close_dataset", {{"dataset_id", id}});
    EXPECT_EQ(dataset_directories(state.path()), std::set<std::string>{});
    open_paths(server, {"numbers.csv"});
    server.close_input();
    EXPECT_EQ(server.wait_for_exit(3s), 0);
  }
  EXPECT_TRUE(fs::is_empty(state.path()));
  std::vector<std::string> left;
  for (const auto& entry : fs::recursive_directory_iterator(data_.path())) left.push_back(entry.path().filename());
  EXPECT_EQ(left, std::vector<std::string>{"numbers.csv"});
}

TEST_F(Dataset, TheTextFormIsTheStructuredFormAlsoOnErrors) {
  ServerProcess server(with_root(data_.path()));
  const std::pair<const char*, json::object> calls[] = {
      {"open_dataset", open_arguments({"numbers.csv"})},
      {"open_dataset", open_arguments({"missing.csv"})},
      {"describe_dataset", {{"dataset_id", "dataset-1"}}},
      {"query", query_arguments("dataset-1", {"SELECT 'é', 1.5, NULL FROM numbers"})},
      {"query", query_arguments("dataset-1", {"SELECT 1", "SELECT nope"})},
      {"query", json::object{}},
      {"list_datasets", json::object{}},
      {"close_dataset", {{"dataset_id", "dataset-1"}}},
      {"close_dataset", {{"dataset_id", "dataset-1"}}}};
  for (const auto& [tool, arguments] : calls) {
    const auto message = server.wait_for(server.start_call(tool, arguments));
    const auto& result = message.at("result").as_object();
    ASSERT_EQ(result.at("content").as_array().size(), 1u);
    EXPECT_EQ(json::parse(result.at("content").at(0).at("text").as_string()), result.at("structuredContent")) << tool;
    const bool is_error = result.contains("isError") && result.at("isError").as_bool();
    EXPECT_EQ(is_error, result.at("structuredContent").as_object().contains("error")) << tool;
  }
}

TEST_F(Dataset, AnExportedDecimalHasADigitBeforeItsPoint) {
  const TemporaryDirectory directory;
  const auto file = directory.path() + "/rows.csv";
  ASSERT_EQ(adit_query(path("numbers.csv"),
                       "SELECT 0.1::DECIMAL(1,1) AS a, -0.25::DECIMAL(2,2) AS \"a b\", 1.5::DECIMAL(2,1) AS c, "
                       "0.5::DECIMAL(38,38) AS d, NULL::DECIMAL(2,2) AS e",
                       "csv", file),
            0);
  std::ifstream in(file);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(in), {}),
            "a,a b,c,d,e\n0.1,-0.25,1.5,0.5" + std::string(37, '0') + ",\n");
}

// ---- Paths
// -----------------------------------------------------------------------------------------------------------

class Paths : public Dataset {
 protected:
  Paths() {
    outside_.write("secret.csv", "secret\n42\n");
    data_.write("sub/deep/table.csv", "n\n1\n");
    data_.write(".hidden/table.csv", "secret\n42\n");
    data_.write("sub/.hidden.csv", "secret\n42\n");
    fs::create_directories(path("folder.csv"));
    const auto link = [&](const std::string& target, const char* name) { fs::create_symlink(target, path(name)); };
    link("numbers.csv", "link.csv");
    link("sub/deep", "linked_folder");
    link(outside_.path() + "/secret.csv", "out.csv");
    link("../" + fs::path(outside_.path()).filename().string() + "/secret.csv", "out_relative.csv");
    link(outside_.path(), "out_folder");
    link(".hidden/table.csv", "to_hidden.csv");
    link("loop.csv", "loop.csv");
    link("nowhere.csv", "dangling.csv");
    link("/proc/self/environ", "environ.csv");
    link("/dev/zero", "zero.csv");
    link("/etc/passwd", "passwd.csv");
    EXPECT_EQ(::mkfifo(path("fifo.csv").c_str(), 0600), 0);
    const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
    std::strncpy(address.sun_path, path("socket.csv").c_str(), sizeof address.sun_path - 1);
    EXPECT_EQ(::bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    ::close(fd);
  }

  TemporaryDirectory outside_;
};

TEST_F(Paths, WhatIsNotAFileBelowARootIsRefusedAtOnceAndLeavesNothing) {
  ServerProcess server(with_root(data_.path()));
  const auto root = data_.path(), outside = outside_.path();
  const std::string refused[] = {
      "missing.csv", "missing/table.csv", "numbers.csv/", "numbers.csv/table.csv", "/", ".", "folder.csv", "sub", root,
      "fifo.csv", "socket.csv", "dangling.csv", "loop.csv",
      // Outside, by every way there is.
      outside + "/secret.csv", "../" + fs::path(outside).filename().string() + "/secret.csv", "sub/../numbers.csv",
      "sub/../../" + fs::path(outside).filename().string() + "/secret.csv",
      root + "/../" + fs::path(outside).filename().string() + "/secret.csv", root + "/sub/../numbers.csv", "out.csv",
      "out_relative.csv", "out_folder/secret.csv", "environ.csv", "zero.csv", "passwd.csv", "/etc/passwd",
      "/proc/self/environ", "/proc/self/root" + root + "/numbers.csv", "/proc/self/cwd/numbers.csv", "/dev/zero",
      "/dev/stdin", "/dev/fd/0",
      // Hidden.
      ".hidden/table.csv", "sub/.hidden.csv", "to_hidden.csv", root + "/.hidden/table.csv",
      // What other programs take for a path.
      "~/numbers.csv", "file://" + root + "/numbers.csv", "https://example.org/table.csv", "s3://bucket/table.csv",
      "*.csv", "number?.csv", "**/table.csv", "C:\\table.csv", "sub\\deep\\table.csv", std::string(300, 'x') + ".csv",
      [] {
        std::string deep;
        for (int i = 0; i < 3000; ++i) deep += "d/";
        return deep + "x.csv";
      }()};
  for (const auto& name : refused) {
    for (const char* format : {"csv", "parquet"}) {
      const auto start = Clock::now();
      const auto answer =
          server.call("open_dataset", {{"sources", json::array{json::object{{"path", name}, {"format", format}}}}});
      EXPECT_LT(Clock::now() - start, 1s) << name;
      EXPECT_EQ(of_error(answer, "kind"), "not_allowed") << name;
      EXPECT_EQ(of_error(answer, "stage"), "input") << name;
      expect_helpful_error(answer, name);
      EXPECT_EQ(json::serialize(answer).find("42"), std::string::npos) << name;
    }
  }
  EXPECT_EQ(listed(server), "");
  EXPECT_EQ(server.workers().size(), 0u);
  EXPECT_EQ(dataset_directories(server.state_dir()), std::set<std::string>{});
}

TEST_F(Paths, ADeviceBelowARootIsNoFile) {
  if (::mknod(path("device.csv").c_str(), S_IFCHR | 0600, makedev(1, 5)) != 0) GTEST_SKIP() << "needs CAP_MKNOD";
  ServerProcess server(with_root(data_.path()));
  const auto answer = open_paths(server, {"device.csv"});
  EXPECT_EQ(of_error(answer, "kind"), "not_allowed");
  EXPECT_NE(of_error(answer, "message").find("is a device"), std::string::npos);
}

TEST_F(Paths, AFileThatMayNotBeReadSaysSo) {
  if (::geteuid() == 0) GTEST_SKIP() << "root reads every file";
  fs::permissions(path("numbers.csv"), fs::perms::none);
  ServerProcess server(with_root(data_.path()));
  const auto answer = open_paths(server, {"numbers.csv"});
  EXPECT_EQ(of_error(answer, "kind"), "not_allowed");
  EXPECT_NE(of_error(answer, "message").find("may not be read"), std::string::npos);
}

TEST_F(Paths, FilesBelowARootOpenHoweverTheyAreWritten) {
  ServerProcess server(with_root(data_.path()));
  const auto root = data_.path();
  for (const auto& name :
       {std::string("numbers.csv"), std::string("./numbers.csv"), root + "/numbers.csv", root + "/./numbers.csv",
        std::string("sub/deep/table.csv"), std::string("sub//deep/./table.csv"), std::string("link.csv"),
        root + "/link.csv", std::string("linked_folder/table.csv")}) {
    const auto opened = open_paths(server, {name});
    EXPECT_FALSE(opened.contains("error")) << name << ": " << of_error(opened, "message");
    if (opened.contains("error")) continue;
    EXPECT_EQ(opened.at("relations").at(0).at("source").as_string(), name);  // as it was given
    server.call("close_dataset", {{"dataset_id", dataset_of(opened)}});
  }
}

TEST_F(Paths, ADoubledSlashBehindTheRootIsOneSlash) {
  ServerProcess server(with_root(data_.path()));
  const auto opened = open_paths(server, {data_.path() + "//numbers.csv"});
  EXPECT_FALSE(opened.contains("error")) << of_error(opened, "message");
}

TEST_F(Paths, ARootMayBeALinkOrEndInASlash) {
  const auto link = outside_.path() + "/root_link";
  fs::create_symlink(data_.path(), link);
  for (const auto& root : {link, data_.path() + "/", data_.path() + "/sub/.."}) {
    ServerProcess server(with_root(root));
    EXPECT_FALSE(open_paths(server, {"numbers.csv"}).contains("error")) << root;
    EXPECT_FALSE(open_paths(server, {data_.path() + "/numbers.csv"}).contains("error")) << root;
  }
}

TEST_F(Paths, AFullPathMayNameTheRootAsTheUserNamedIt) {
  const auto link = outside_.path() + "/root_link";
  fs::create_symlink(data_.path(), link);
  ServerProcess server(with_root(link));
  const auto opened = open_paths(server, {link + "/numbers.csv"});
  EXPECT_FALSE(opened.contains("error")) << of_error(opened, "message");
}

TEST_F(Paths, WithSeveralRootsARelativePathIsLookedForInEach) {
  ServerProcess server({.arguments = {"--root", data_.path(), "--root", outside_.path()}});
  EXPECT_EQ(dataset_of(open_paths(server, {"numbers.csv", "secret.csv", outside_.path() + "/secret.csv"})),
            "dataset-1");
}

TEST_F(Paths, ANameMayHoldAnyCharacterAndMeansThatFileAlone) {
  // Beside each name with a wildcard stands one that the wildcard would match.
  const char* names[] = {"st*r",   "star",     "br[1]",     "br1",    "q?",   "qq",  "{a,b}", "a",
                         "quo'te", "quo\"te",  "se;mi",     "da--sh", "$(x)", "%41", "Ünï",   "日本",
                         "sp ace", "tab\tbed", "new\nline", "-flag",  "~x",   "#x",  "🎉"};
  std::vector<std::string> paths;
  for (const char* name : names) {
    const auto number = paths.size();
    data_.write(fmt::format("{}.csv", name), fmt::format("x\n{}\n", number));
    data_.write(fmt::format("{}.json", name), fmt::format("[{{\"x\": {}}}]", number + 1));
    data_.write(fmt::format("{}.ndjson", name), fmt::format("{{\"x\": {}}}\n", number + 2));
    for (const char* ending : {".csv", ".json", ".ndjson"}) paths.push_back(name + std::string(ending));
  }
  ServerProcess server(with_root(data_.path()));
  const auto opened = open_paths(server, paths);
  const auto id = dataset_of(opened);
  ASSERT_FALSE(id.empty());
  std::vector<std::string> statements;
  for (const auto& relation : opened.at("relations").as_array()) {
    std::string quoted;
    for (const char c : relation.at("name").as_string()) quoted.append(c == '"' ? 2 : 1, c);
    statements.push_back(fmt::format("SELECT string_agg(x, ' ') FROM \"{}\"", quoted));
  }
  ASSERT_EQ(statements.size(), paths.size());
  const auto answer = query(server, id, statements);
  for (std::size_t i = 0; i < paths.size(); ++i) EXPECT_EQ(first_cell(answer, i), std::to_string(i)) << paths[i];
}

TEST_F(Paths, AParquetFileNamedWithWildcardsMeansThatFileAlone) {
  write_parquet("st*r.parquet", 1);
  write_parquet("star.parquet", 2);
  ServerProcess server(with_root(data_.path()));
  const auto id = dataset_of(open_paths(server, {"st*r.parquet"}));
  EXPECT_EQ(first_cell(query(server, id, {"SELECT string_agg(x, ' ') FROM st_r"})), "1");
}

// The engine takes "k=1" of a path for a partition; a relation has the columns of its file.
TEST_F(Paths, AFolderNamedLikeAPartitionAddsNoColumn) {
  fs::create_directories(path("k=1"));
  data_.write("k=1/a.csv", "x\n1\n");
  data_.write("k=1/b.ndjson", "{\"x\": 1}\n");
  write_parquet("k=1/c.parquet", 1);
  ServerProcess server(with_root(data_.path()));
  const auto opened = open_paths(server, {"k=1/a.csv", "k=1/b.ndjson", "k=1/c.parquet"});
  dataset_of(opened);
  for (const auto& relation : opened.at("relations").as_array()) {
    EXPECT_EQ(relation.at("columns").as_array().size(), 1u) << json::serialize(relation);
  }
}

TEST_F(Paths, ARelationNameThatTheEngineCannotHoldIsAnArgumentsErrorWithoutOurSql) {
  ServerProcess server(with_root(data_.path()));
  const auto answer =
      server.call("open_dataset",
                  {{"sources", json::array{json::object{{"path", "numbers.csv"}, {"name", json::string("a\0b", 3)}}}}});
  EXPECT_EQ(of_error(answer, "kind"), "invalid_argument") << of_error(answer, "message");
  EXPECT_EQ(of_error(answer, "stage"), "input");
}

TEST_F(Paths, APathWithANulIsAnArgumentsError) {
  ServerProcess server(with_root(data_.path()));
  for (const auto& path : {std::string("numbers.csv\0", 12), std::string("\0numbers.csv", 12),
                           std::string("numbers.csv\0.txt", 16), data_.path() + std::string("/numbers.csv\0", 13)}) {
    const auto answer = open_paths(server, {path});
    EXPECT_EQ(of_error(answer, "kind"), "invalid_argument");
    EXPECT_EQ(of_error(answer, "stage"), "input");
    EXPECT_NE(of_error(answer, "message").find("path"), std::string::npos);
    EXPECT_NE(of_error(answer, "hint"), "");
  }
}

TEST_F(Paths, ARefusalSaysWhatStandsThere) {
  const std::pair<const char*, const char*> kinds[] = {
      {"fifo.csv", "is a named pipe"},   {"socket.csv", "is a socket"},   {"folder.csv", "is a directory"},
      {"folder.csv/", "is a directory"}, {".", "is a directory"},         {"numbers.csv/", "is not a directory"},
      {"out.csv", "leads out of"},       {"zero.csv", "leads out of"},    {"sub/.hidden.csv", "with a dot"},
      {"to_hidden.csv", "hidden"},       {"missing.csv", "was not found"}};
  ServerProcess server(with_root(data_.path()));
  for (const auto& [name, says] : kinds) {
    const auto answer = open_paths(server, {name});
    EXPECT_NE(of_error(answer, "message").find(says), std::string::npos) << name << ": " << of_error(answer, "message");
    expect_helpful_error(answer, name);
  }
}

TEST_F(Paths, ALinkWithAnAbsoluteTargetBelowTheRootIsFollowed) {
  fs::create_symlink(path("numbers.csv"), path("absolute.csv"));
  fs::create_symlink(path("sub"), path("absolute_folder"));
  fs::create_symlink(path("absolute.csv"), path("twice.csv"));
  fs::create_symlink(path("sub/.hidden.csv"), path("absolute_hidden.csv"));
  fs::create_symlink(path("fifo.csv"), path("absolute_fifo.csv"));
  ServerProcess server(with_root(data_.path()));
  for (const char* name : {"absolute.csv", "absolute_folder/deep/table.csv", "twice.csv"}) {
    dataset_of(open_paths(server, {name}));
  }
  for (const char* name : {"absolute_hidden.csv", "absolute_fifo.csv", "out.csv", "out_folder/secret.csv"}) {
    EXPECT_EQ(of_error(open_paths(server, {name}), "kind"), "not_allowed") << name;
  }
}

TEST_F(Paths, OpeningAFileWithoutEndIsCancelledCleanly) {
  data_.write("sparse.csv", "");
  fs::resize_file(path("sparse.csv"), 1ull << 40);
  ServerProcess server(with_root(data_.path()));
  const auto call = server.start_call("open_dataset", open_arguments({"sparse.csv"}));
  std::this_thread::sleep_for(300ms);
  const auto start = Clock::now();
  cancel(server, call);
  EXPECT_EQ(dataset_of(open_paths(server, {"numbers.csv"})), "dataset-2");
  EXPECT_LT(Clock::now() - start, 5s);
  EXPECT_TRUE(eventually(5s, [&] { return server.workers().size() == 1; }));
  EXPECT_EQ(listed(server), "dataset-2");
  EXPECT_EQ(dataset_directories(server.state_dir()), std::set<std::string>{"dataset-2"});
  EXPECT_TRUE(server.stays_silent(200ms));  // no answer for the cancelled call
}

TEST_F(Paths, CancellingAFileThatIsAddedLeavesTheDatasetAsItWas) {
  data_.write("sparse.csv", "");
  fs::resize_file(path("sparse.csv"), 1ull << 40);
  ServerProcess server(with_root(data_.path()));
  const auto id = dataset_of(open_paths(server, {"numbers.csv"}));
  query(server, id, {"CREATE VIEW v AS SELECT sum(n) AS s FROM numbers"});
  const auto call = server.start_call("open_dataset", open_arguments({"sparse.csv"}, id));
  std::this_thread::sleep_for(300ms);
  cancel(server, call);
  EXPECT_EQ(first_cell(query(server, id, {"SELECT s FROM v"})), "6");
  EXPECT_EQ(of_error(query(server, id, {"SELECT * FROM sparse"}), "kind"), "unknown_relation");
  EXPECT_EQ(dataset_of(open_paths(server, {"sub/deep/table.csv"}, id)), id);
}

// ---- "A Parquet … source that changed or vanished is source_changed and named."
// --------------------------------------

class ParquetSource : public Dataset {
 protected:
  ParquetSource() {
    write_parquet("table.parquet", 1);
    write_parquet("other.parquet", 2);
  }

  void expect_source_changed(ServerProcess& server, const std::string& id, const std::string& sql) {
    const auto answer = query(server, id, {"SELECT 7", sql, "SELECT 8"});
    EXPECT_EQ(of_error(answer, "kind"), "source_changed") << sql << json::serialize(answer);
    EXPECT_EQ(of_error(answer, "stage"), "dataset") << sql;
    EXPECT_NE(of_error(answer, "message").find("table.parquet"), std::string::npos) << sql;
    EXPECT_NE(of_error(answer, "hint").find("open_dataset"), std::string::npos) << sql;
    // The statement before it is whole.
    EXPECT_EQ(answer.at("statements").as_array().size(), 1u);
    EXPECT_EQ(answer.at("error").at("statement_index"), 1);
  }
};

TEST_F(ParquetSource, AFileThatIsReplacedTouchedCutOrRemovedIsSourceChanged) {
  const auto file = path("table.parquet");
  const std::pair<const char*, std::function<void()>> changes[] = {
      {"replaced", [&] { fs::rename(path("other.parquet"), file); }},
      {"touched", [&] { fs::last_write_time(file, fs::file_time_type::clock::now() + 1s); }},
      {"cut", [&] { fs::resize_file(file, fs::file_size(file) - 1); }},
      {"appended to", [&] { std::ofstream(file, std::ios::app) << "x"; }},
      {"written again", [&] { write_parquet("table.parquet", 3); }},
      {"removed", [&] { fs::remove(file); }},
      {"a folder",
       [&] {
         fs::remove(file);
         fs::create_directories(file);
       }},
      {"a link to another", [&] {
         fs::remove(file);
         fs::create_symlink("other.parquet", file);
       }}};
  ServerProcess server(with_root(data_.path()));
  for (const auto& [how, change] : changes) {
    SCOPED_TRACE(how);
    fs::remove_all(file);
    write_parquet("table.parquet", 1);
    write_parquet("other.parquet", 2);
    const auto id = dataset_of(open_paths(server, {"table.parquet", "numbers.csv"}));
    query(server, id, {"CREATE VIEW v AS SELECT x FROM \"table\"", "CREATE VIEW w AS SELECT x FROM v"});
    EXPECT_EQ(first_cell(query(server, id, {"SELECT x FROM w"})), "1");
    change();
    for (const char* sql :
         {"SELECT x FROM \"table\"", "SELECT x FROM w", "WITH t AS (FROM v) SELECT * FROM numbers, t"}) {
      expect_source_changed(server, id, sql);
    }
    // What does not read it goes on.
    EXPECT_EQ(first_cell(query(server, id, {"SELECT sum(n) FROM numbers"})), "6");
  }
}

TEST_F(ParquetSource, AStatementOfAnyKindOverAVanishedFileIsSourceChanged) {
  ServerProcess server(with_root(data_.path()));
  const auto id = dataset_of(open_paths(server, {"table.parquet"}));
  fs::remove(path("table.parquet"));
  for (const char* sql : {"SELECT count(*) FROM \"table\"", "DESCRIBE \"table\"", "SUMMARIZE \"table\"",
                          "EXPLAIN SELECT * FROM \"table\"", "EXPLAIN ANALYZE SELECT * FROM \"table\""}) {
    expect_source_changed(server, id, sql);
  }
  // It is still listed and described.
  const auto described = server.call("describe_dataset", {{"dataset_id", id}});
  EXPECT_EQ(described.at("relations").at(0).at("name"), "table");
}

TEST_F(ParquetSource, AFileThatComesBackAsItWasCanBeReadAgain) {
  ServerProcess server(with_root(data_.path()));
  const auto id = dataset_of(open_paths(server, {"table.parquet"}));
  fs::rename(path("table.parquet"), path("away.parquet"));
  expect_source_changed(server, id, "SELECT x FROM \"table\"");
  fs::rename(path("away.parquet"), path("table.parquet"));
  EXPECT_EQ(first_cell(query(server, id, {"SELECT x FROM \"table\""})), "1");
}

TEST_F(ParquetSource, AChangedFileOpensAgainBesideTheOldOneOrInANewDataset) {
  ServerProcess server(with_root(data_.path()));
  const auto id = dataset_of(open_paths(server, {"table.parquet"}));
  fs::rename(path("other.parquet"), path("table.parquet"));
  const auto again = open_paths(server, {"table.parquet"}, id);
  EXPECT_EQ(again.at("relations").at(0).at("name"), "table_2");
  EXPECT_EQ(first_cell(query(server, id, {"SELECT x FROM table_2"})), "2");
  expect_source_changed(server, id, "SELECT x FROM \"table\"");
  EXPECT_EQ(first_cell(query(server, dataset_of(open_paths(server, {"table.parquet"})), {"SELECT x FROM \"table\""})),
            "2");
}

TEST_F(ParquetSource, AFileThatChangedWhileTheWorkerWasDeadIsSourceChanged) {
  ServerProcess server(with_root(data_.path()));
  const auto id = dataset_of(open_paths(server, {"table.parquet", "numbers.csv"}));
  ASSERT_EQ(::kill(only_worker(server), SIGKILL), 0);
  fs::rename(path("other.parquet"), path("table.parquet"));
  expect_source_changed(server, id, "SELECT x FROM \"table\"");
  EXPECT_EQ(first_cell(query(server, id, {"SELECT sum(n) FROM numbers"})), "6");
  // A vanished one does not keep a new worker from starting.
  fs::remove(path("table.parquet"));
  ASSERT_EQ(::kill(only_worker(server), SIGKILL), 0);
  expect_source_changed(server, id, "SELECT x FROM \"table\"");
  EXPECT_EQ(first_cell(query(server, id, {"SELECT sum(n) FROM numbers"})), "6");
}

// CSV and JSON are read once: what becomes of the file afterwards does not matter.
TEST_F(Dataset, ACsvFileThatIsReplacedOrRemovedDoesNotChangeItsRelation) {
  ServerProcess server(with_root(data_.path()));
  const auto id = dataset_of(open_paths(server, {"numbers.csv"}));
  data_.write("numbers.csv", "n\n99\n");
  EXPECT_EQ(first_cell(query(server, id, {"SELECT sum(n) FROM numbers"})), "6");
  fs::remove(path("numbers.csv"));
  ASSERT_EQ(::kill(only_worker(server), SIGKILL), 0);
  EXPECT_EQ(first_cell(query(server, id, {"SELECT sum(n) FROM numbers"})), "6");
}

// ---- "Definitions"
// ---------------------------------------------------------------------------------------------------

TEST_F(Dataset, DatasetsNeverSeeEachOthersDefinitions) {
  ServerProcess server(with_root(data_.path()));
  const auto first = dataset_of(open_paths(server, {"numbers.csv"}));
  const auto second = dataset_of(open_paths(server, {"numbers.csv"}));
  EXPECT_FALSE(query(server, first, {"CREATE VIEW v AS SELECT 1 AS x", "CREATE TEMP TABLE t AS SELECT 1 AS x"})
                   .contains("error"));
  server.call("query", {{"dataset_id", first},
                        {"sql", json::array{"SELECT 1"}},
                        {"named_temp_queries", json::array{{{"name", "q"}, {"sql", "SELECT 1 AS x"}}}}});
  for (const char* name : {"v", "t", "q"}) {
    EXPECT_EQ(of_error(query(server, second, {fmt::format("FROM {}", name)}), "kind"), "unknown_relation") << name;
    EXPECT_EQ(of_error(query(server, second, {fmt::format("DROP VIEW {}", name)}), "kind"), "unknown_relation") << name;
    EXPECT_FALSE(query(server, second, {fmt::format("CREATE VIEW {} AS SELECT 2 AS x", name)}).contains("error"))
        << name;
    EXPECT_EQ(first_cell(query(server, first, {fmt::format("SELECT x FROM {}", name)})), "1") << name;
    EXPECT_EQ(first_cell(query(server, second, {fmt::format("SELECT x FROM {}", name)})), "2") << name;
  }
  server.call("close_dataset", {{"dataset_id", second}});
  EXPECT_EQ(first_cell(query(server, first, {"SELECT x FROM v"})), "1");
}

// "defining … reads no row (a test counts rows read)": the bytes that the worker's process has read, over a Parquet
// file, which is read from the disk at each use.
TEST_F(Dataset, DefiningReadsNoRow) {
  ASSERT_EQ(
      adit_query(path("numbers.csv"), "SELECT hash(i) AS h FROM range(1000000) t(i)", "parquet", path("large.parquet")),
      0);
  const auto size = fs::file_size(path("large.parquet"));
  ASSERT_GT(size, 5u << 20);
  ServerProcess server(with_root(data_.path()));
  const auto id = dataset_of(open_paths(server, {"large.parquet"}));
  const auto bytes_read = [worker = only_worker(server)] {
    std::ifstream file(fmt::format("/proc/{}/io", worker));
    std::string name;
    std::uintmax_t bytes = 0;
    file >> name >> bytes;  // rchar
    return bytes;
  };
  const auto before = bytes_read();
  const auto defined = server.call(
      "query", {{"dataset_id", id},
                {"sql", json::array{"CREATE VIEW v AS SELECT h FROM large WHERE h % 3 = 0",
                                    "CREATE TEMP TABLE t AS SELECT max(h) AS m, count(DISTINCT h) AS n FROM v",
                                    "CREATE OR REPLACE TEMP VIEW v AS SELECT h FROM large WHERE h % 5 = 0 ORDER BY h",
                                    "DESCRIBE t"}},
                {"named_temp_queries", json::array{{{"name", "q"}, {"sql", "SELECT sum(h) FROM large"}}}}});
  EXPECT_FALSE(defined.contains("error")) << json::serialize(defined);
  const auto defining = bytes_read() - before;
  EXPECT_LT(defining, size / 20);
  EXPECT_FALSE(query(server, id, {"SELECT m FROM t"}).contains("error"));
  EXPECT_GT(bytes_read() - before, size / 2);  // the measure does see a reading statement
}

// ---- "Killed worker"
// -------------------------------------------------------------------------------------------------

TEST_F(Dataset, EveryRelationAndDefinitionIsThereAfterAKilledWorker) {
  ServerProcess server(with_root(data_.path()));
  const auto id = dataset_of(open_paths(server, {"numbers.csv"}));
  const auto made = server.call(
      "query", {{"dataset_id", id},
                {"sql", json::array{"CREATE VIEW \"a \"\"view\"\"\" (\"first name\") AS SELECT n FROM doubled",
                                    "CREATE TEMP TABLE dice AS SELECT random() AS r FROM range(50)",
                                    "CREATE VIEW dangling AS SELECT * FROM gone_soon", "SELECT 1"}},
                {"named_temp_queries", json::array{{{"name", "doubled"}, {"sql", "SELECT n * 2 AS n FROM numbers"}},
                                                   {{"name", "gone_soon"}, {"sql", "SELECT 1"}}}}});
  ASSERT_FALSE(made.contains("error")) << json::serialize(made);
  query(server, id, {"DROP VIEW gone_soon"});
  const auto before = server.call("describe_dataset", {{"dataset_id", id}});
  ASSERT_EQ(::kill(only_worker(server), SIGKILL), 0);

  EXPECT_EQ(first_cell(query(server, id, {"SELECT sum(\"first name\") FROM \"a \"\"view\"\"\""})), "12");
  const auto dice =
      server.call("query", {{"dataset_id", id}, {"sql", json::array{"SELECT r FROM dice ORDER BY r"}}, {"limit", 2}});
  EXPECT_EQ(dice.at("statements").at(0).at("total_rows"), 50);
  EXPECT_NE(of_error(query(server, id, {"FROM dangling"}), "message").find("dangling -> gone_soon"), std::string::npos);
  EXPECT_EQ(server.call("describe_dataset", {{"dataset_id", id}}), before);
  EXPECT_EQ(of_error(query(server, id, {"CREATE VIEW doubled AS FROM doubled"}), "kind"), "definition_cycle");
  EXPECT_EQ(of_error(query(server, id, {"DROP TABLE numbers"}), "kind"), "not_allowed");
  EXPECT_EQ(listed(server), id);
}

class KilledInACall : public Dataset {
 protected:
  // The answer of a call whose third statement was killed.
  json::object killed_answer() {
    id_ = dataset_of(open_paths(server_, {"numbers.csv"}));
    const auto call =
        server_.start_call("query", query_arguments(id_, {"CREATE VIEW v AS SELECT 5 AS x",
                                                          "SELECT i FROM range(1000) t(i)", std::string(kSlowQuery)}));
    const auto worker = only_worker(server_);
    std::this_thread::sleep_for(400ms);
    EXPECT_EQ(::kill(worker, SIGKILL), 0);
    return content_of(server_.wait_for(call));
  }

  ServerProcess server_{with_root(data_.path())};
  std::string id_;
};

TEST_F(KilledInACall, WhatTheCallHadDoneBeforeStays) {
  const auto answer = killed_answer();
  EXPECT_EQ(of_error(answer, "kind"), "internal_error");
  EXPECT_EQ(answer.at("error").at("statement_index"), 2);
  EXPECT_EQ(answer.at("statements").as_array().size(), 2u);
  EXPECT_EQ(first_cell(query(server_, id_, {"SELECT x FROM v"})), "5");
}

TEST_F(Dataset, AWorkerKilledWhileFilesAreAddedLeavesTheDatasetAsItWas) {
  std::string rows = "n,text\n";
  for (int i = 0; i < 1'000'000; ++i) rows += std::to_string(i) + ",some text to read\n";
  data_.write("large.csv", rows);
  ServerProcess server(with_root(data_.path()));
  const auto id = dataset_of(open_paths(server, {"numbers.csv"}));
  query(server, id, {"CREATE VIEW v AS SELECT sum(n) AS s FROM numbers"});
  const auto first = only_worker(server);
  const auto call = server.start_call("open_dataset", open_arguments({"large.csv"}, id));
  ASSERT_TRUE(eventually(5s, [&] {
    const auto workers = server.workers();
    return workers.size() == 1 && workers.front() != first;
  }));
  std::this_thread::sleep_for(100ms);
  ASSERT_EQ(::kill(only_worker(server), SIGKILL), 0);
  const auto answer = content_of(server.wait_for(call));
  EXPECT_EQ(of_error(answer, "kind"), "internal_error") << json::serialize(answer);
  EXPECT_EQ(first_cell(query(server, id, {"SELECT s FROM v"})), "6");
  EXPECT_EQ(of_error(query(server, id, {"FROM large"}), "kind"), "unknown_relation");
  data_.write("large.csv", "n\n1\n");
  EXPECT_EQ(open_paths(server, {"large.csv"}, id).at("relations").at(0).at("row_count"), 1);
}

// "Killing a worker … costs the running call and nothing else", at each step of opening that shows from outside.
TEST_F(Dataset, AWorkerKilledAtAnyStepOfOpeningLosesNothingThatWasCommitted) {
  std::string rows = "n,text\n";
  for (int i = 0; i < 700'000; ++i) rows += std::to_string(i) + ",some text to read\n";
  data_.write("large.csv.gz", gzip_of(rows));
  const auto size_of = [](const fs::path& file) {
    std::error_code error;
    const auto size = fs::file_size(file, error);
    return error ? 0 : size;
  };
  using Reached = std::function<bool(const fs::path&)>;
  const std::pair<const char*, Reached> steps[] = {
      {"started", [](const fs::path&) { return true; }},
      {"unpacking", [&](const fs::path& directory) { return size_of(directory / "accepted-lines") > 0; }},
      {"unpacked", [&](const fs::path& directory) { return size_of(directory / "accepted-lines") == rows.size(); }},
      {"first rows written",
       [&, before = std::uintmax_t{}](const fs::path& directory) mutable {
         const auto size = size_of(directory / "main.duckdb") + size_of(directory / "main.duckdb.wal");
         if (before == 0) before = size;
         return size > before;
       }},
      {"copy given back", [&, seen = false](const fs::path& directory) mutable {
         const auto size = size_of(directory / "accepted-lines");
         seen = seen || size == rows.size();
         return seen && size == 0;
       }}};
  ServerProcess server(with_root(data_.path()));
  const auto id = dataset_of(open_paths(server, {"numbers.csv"}));
  query(server, id, {"CREATE VIEW v AS SELECT sum(n) AS s FROM numbers"});
  const auto run = fs::directory_iterator(server.state_dir())->path();
  for (const auto& step : steps) {
    SCOPED_TRACE(step.first);
    const auto& reached = step.second;
    const auto first = only_worker(server);
    const auto call = server.start_call("open_dataset", open_arguments({"large.csv.gz"}, id));
    pid_t worker = -1;
    EXPECT_TRUE(eventually(20s, [&] {
      const auto workers = server.workers();
      if (workers.size() != 1 || workers.front() == first) return false;
      worker = workers.front();
      return reached(run / id);
    }));
    ASSERT_EQ(::kill(worker, SIGKILL), 0);
    const auto answer = content_of(server.wait_for(call));
    EXPECT_EQ(first_cell(query(server, id, {"SELECT s FROM v"})), "6");
    const auto count = query(server, id, {"SELECT count(*) FROM \"large\""});
    if (answer.contains("error")) {
      EXPECT_EQ(of_error(answer, "kind"), "internal_error") << json::serialize(answer);
      EXPECT_FALSE(of_error(answer, "hint").empty());
      EXPECT_EQ(of_error(count, "kind"), "unknown_relation");
    } else {
      // It was done before the signal came.
      EXPECT_EQ(first_cell(count), "700000");
      break;
    }
  }
  data_.write("large.csv.gz", gzip_of("n\n1\n"));
  EXPECT_EQ(open_paths(server, {"large.csv.gz"}, id).at("relations").at(0).at("row_count"), 1);
}

// ---- "Calls on one workspace run one after another in order of arrival"
// ----------------------------------------------

TEST_F(Dataset, CallsOnOneDatasetRunInOrderOfArrival) {
  ServerProcess server(with_root(data_.path()));
  const auto id = dataset_of(open_paths(server, {"numbers.csv"}));
  std::vector<std::int64_t> calls;
  for (int i = 0; i < 20; ++i) {
    server.start_call("query", query_arguments(id, {fmt::format("CREATE VIEW v AS SELECT {} AS x", i)}));
    calls.push_back(server.start_call("query", query_arguments(id, {"SELECT x FROM v"})));
  }
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(first_cell(content_of(server.wait_for(calls[static_cast<std::size_t>(i)]))), std::to_string(i));
  }
}

TEST_F(Dataset, AWaitingCallCanBeCancelledAndThoseBehindItGoOn) {
  ServerProcess server(with_root(data_.path()));
  const auto id = dataset_of(open_paths(server, {"numbers.csv"}));
  const auto running = server.start_call("query", query_arguments(id, {std::string(kSlowQuery)}));
  const auto waiting = server.start_call("query", query_arguments(id, {"CREATE VIEW v AS SELECT 1"}));
  const auto behind = server.start_call("query", query_arguments(id, {"SHOW TABLES"}));
  std::this_thread::sleep_for(200ms);
  cancel(server, waiting);
  cancel(server, running);
  const auto answer = content_of(server.wait_for(behind));
  EXPECT_EQ(answer.at("statements").at(0).at("total_rows"), 1);  // v was never defined
  EXPECT_TRUE(server.stays_silent(200ms));
}

TEST_F(Dataset, ClosingWaitsForItsTurnAndCallsBehindItFindNoDataset) {
  ServerProcess server(with_root(data_.path()));
  const auto id = dataset_of(open_paths(server, {"numbers.csv"}));
  const auto before =
      server.start_call("query", query_arguments(id, {"SELECT count(*) FROM range(30000000) t(i) WHERE i % 3 = 0"}));
  const auto close = server.start_call("close_dataset", {{"dataset_id", id}});
  const auto behind = server.start_call("query", query_arguments(id, {"SELECT 1"}));
  EXPECT_EQ(first_cell(content_of(server.wait_for(before))), "10000000");
  EXPECT_EQ(content_of(server.wait_for(close)).at("closed"), true);
  EXPECT_EQ(of_error(content_of(server.wait_for(behind)), "kind"), "unknown_dataset");
}

}  // namespace
}  // namespace adit::test
