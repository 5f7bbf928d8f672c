#include "sources/csv_lines.h"

#include <algorithm>

namespace adit::worker {
namespace {

// What can be told of line ends without knowing what is quoted.
struct RawCounts {
  bool any_cr_alone = false, any_lf_alone = false, any_crlf = false;
  bool one_kind() const { return any_cr_alone + any_lf_alone + any_crlf <= 1; }
};

// Of which the engine's reader takes no more; what it does with a longer one takes it seconds.
constexpr std::uint64_t kLongestCsvLine = 2'000'000;

// How long the line is that the pieces have come to.
class LineLength {
 public:
  // False when a line is too long.
  bool add(std::string_view piece) {
    while (!piece.empty()) {
      const auto first = piece.find_first_of("\r\n");
      if (position_ + std::min(first, piece.size()) - begin_ > kLongestCsvLine) return false;
      if (first == std::string_view::npos) break;
      // Most lines are far shorter: what lies a whole line behind is not looked at.
      const auto last = piece.substr(0, kLongestCsvLine).find_last_of("\r\n");
      position_ += last + 1;
      begin_ = position_;
      piece.remove_prefix(last + 1);
    }
    position_ += piece.size();
    return true;
  }

  std::uint64_t begin() const { return begin_; }

 private:
  std::uint64_t position_ = 0, begin_ = 0;
};

Error too_long(const std::string& path, const LineLength& length) {
  const auto lines = lines_of_positions(path, {length.begin()});
  return too_long_line(lines.ok() ? lines->front() : 1, kLongestCsvLine);
}

void count_raw(std::string_view piece, bool& after_cr, RawCounts& counts) {
  if (!after_cr && piece.find('\r') == std::string_view::npos) {
    counts.any_lf_alone = counts.any_lf_alone || piece.find('\n') != std::string_view::npos;
    return;
  }
  for (const char c : piece) {
    if (c == '\n') (after_cr ? counts.any_crlf : counts.any_lf_alone) = true;
    else if (after_cr) counts.any_cr_alone = true;
    after_cr = c == '\r';
  }
}

// Follows quotes as RFC 4180 has them: a field that begins with a quote ends with one, and two stand for one.
class LineEnds {
 public:
  // Appends the piece to `out` with LF for each line end outside quotes.
  void copy(std::string_view piece, std::string& out) {
    for (const char c : piece) {
      if (after_cr_) {
        after_cr_ = false;
        (c == '\n' ? crlf_ : cr_) = true;
        if (c == '\n') continue;  // the CR has been written as LF
      } else if (c == '\n' && !quoted_) {
        lf_ = true;
      }
      if (c == '\r' && !quoted_) {
        after_cr_ = true;
        at_begin_ = true;
        out += '\n';
        continue;
      }
      follow(c);
      out += c;
    }
  }

  void finish() { cr_ = cr_ || after_cr_; }

  bool has_lone_cr() const { return cr_ && (lf_ || crlf_); }
  bool is_mixed() const { return cr_ + lf_ + crlf_ > 1; }

 private:
  void follow(char c) {
    if (c == '"') {
      // Behind the closing quote of a field another one opens it again: a quote within.
      quoted_ = quoted_ ? false : at_begin_ || after_quote_;
      after_quote_ = !quoted_;
      at_begin_ = false;
      return;
    }
    after_quote_ = false;
    at_begin_ = !quoted_ && (c == '\n' || c == ',' || c == ';' || c == '\t' || c == '|');
  }

  bool quoted_ = false, at_begin_ = true, after_quote_ = false, after_cr_ = false;
  bool cr_ = false, lf_ = false, crlf_ = false;
};

Result<void> copy_lines(const std::string& path, CsvText& text, LineEnds& ends) {
  ADIT_TRY(auto bytes, FileBytes::open(path));
  LineLength length;
  std::string out;
  for (;;) {
    ADIT_TRY(const auto piece, bytes.next());
    if (piece.empty()) break;
    if (!length.add(piece)) return too_long(path, length);
    out.clear();
    ends.copy(piece, out);
    ADIT_CHECK(text.copy->write(out));
  }
  ends.finish();
  return text.copy->finish();
}

}  // namespace

Result<void> prepare_csv(const std::string& path, const std::string& scratch, CsvText& text) {
  text.path = path;
  ADIT_TRY(auto bytes, FileBytes::open(path));
  RawCounts counts;
  if (!bytes.is_gzip()) {
    LineLength length;
    bool after_cr = false;
    bool is_first = true;
    for (;;) {
      ADIT_TRY(const auto piece, bytes.next());
      if (piece.empty()) break;
      if (is_first && has_utf16_mark(piece)) return not_utf8("UTF-16 or UTF-32");
      is_first = false;
      if (!length.add(piece)) return too_long(path, length);
      count_raw(piece, after_cr, counts);
    }
    if (after_cr) counts.any_cr_alone = true;
    if (counts.one_kind()) return {};
  }
  text.copy.emplace(scratch);
  LineEnds ends;
  ADIT_CHECK(copy_lines(path, text, ends));
  text.has_lone_cr = ends.has_lone_cr();
  // Line breaks within quotes may be of another kind than those of the file: that is how spreadsheets write them.
  if (bytes.is_gzip() || ends.is_mixed()) text.path = text.copy->path();
  else text.copy.reset();
  return {};
}

}  // namespace adit::worker
