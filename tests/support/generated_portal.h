// A dataset of any size behind a ReplayPortal: rows in pages, a count, metadata, and what goes wrong with pages. What
// its rows are is told in generated_rows.h.
//
//   GET /resource/ID.json    $limit (1000 when not given), $offset, $order (columns, :id; ASC, DESC), $select (*, :*,
//                            columns, count(*) with an alias), $where (column = 'text'), COLUMN=text
//   GET /api/views/ID.json
//
// Everything else of SoQL is refused with the error body of a portal. Threads: all methods from any thread; the dataset
// may go before the portal.
#pragma once

#include "support/generated_rows.h"
#include "support/replay_portal.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

namespace adit::test {

struct GeneratedOptions {
  std::string host = "data.example.org";
  std::string id = "gene-rate";
  std::size_t rows = 1000;
  std::uint64_t seed = 1;

  bool refuses_id_in_order = false;  // 400: no such column

  // Rows that are equal by $order come in another order with each request, all of them without $order: a reader that
  // does not ask for a total order loses rows and gets others twice. Else they come as stored.
  bool shuffles_ties = false;

  std::size_t most_rows_in_page = 0;  // shorter than asked for, though there are more; 0 = as asked for

  // Behind so many pages of rows a row is inserted before all others, and rowsUpdatedAt moves.
  std::optional<std::size_t> changes_after_page = std::nullopt;

  Fault fault = {};  // of every page of rows
};

class GeneratedDataset {
 public:
  explicit GeneratedDataset(GeneratedOptions options = {});

  void serve_on(ReplayPortal& portal) const;
  std::optional<PortalAnswer> answer(const PortalRequest& request) const;  // nothing when it is for another address

  void insert_row();

  std::size_t rows() const;
  std::size_t pages() const;  // of rows, answered so far
  std::int64_t rows_updated_at() const;
  std::size_t present(GeneratedColumn column) const;  // rows with a value
  std::int64_t amount_cents() const;                  // the sum of amount
  std::map<std::string, std::size_t> boroughs() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace adit::test
