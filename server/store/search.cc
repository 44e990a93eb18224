#include "store/search.h"

#include <SQLiteCpp/SQLiteCpp.h>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "kernelopt/v1/job.pb.h"
#include "store/spec_files.h"

namespace kernelopt::server {
namespace {

std::string OwnerWord(uint32_t uid) { return absl::StrCat("u", uid); }

std::string WordsOf(const v1::JobSpec& spec) {
  std::string words = spec.label();
  EachFile(spec, [&](const v1::SourceFile& file) { absl::StrAppend(&words, " ", file.path()); });
  for (const v1::SubjectSpec& subject : spec.subjects()) absl::StrAppend(&words, " ", subject.id());
  for (const v1::Dim& dim : spec.problem().dims()) {
    // One word each, so that N=4096 does not find M=4096 N=1.
    absl::StrAppend(&words, " ", dim.name(), "x");
    if (dim.has_int_value()) {
      absl::StrAppend(&words, dim.int_value());
    } else {
      absl::StrAppend(&words, dim.real_value());
    }
  }
  return words;
}

}  // namespace

int IndexNewJobs(SQLite::Database& db, int most) {
  SQLite::Statement next(db,
                         "SELECT id, owner_uid, spec FROM job WHERE id > "
                         "(SELECT last_id FROM job_text_state) ORDER BY id LIMIT ?");
  next.bind(1, most);
  SQLite::Statement add(db, "INSERT INTO job_text (rowid, owner, words) VALUES (?, ?, ?)");
  int added = 0;
  int64_t last = 0;
  while (next.executeStep()) {
    last = next.getColumn(0).getInt64();
    v1::JobSpec spec;
    const SQLite::Column blob = next.getColumn(2);
    spec.ParseFromArray(blob.getBlob(), blob.getBytes());
    add.reset();
    add.bind(1, last);
    add.bind(2, OwnerWord(static_cast<uint32_t>(next.getColumn(1).getInt64())));
    add.bind(3, WordsOf(spec));
    add.exec();
    ++added;
  }
  if (added > 0) {
    SQLite::Statement state(db, "UPDATE job_text_state SET last_id = ?");
    state.bind(1, last);
    state.exec();
  }
  return added;
}

void ForgetJobText(SQLite::Database& db, int64_t id) {
  SQLite::Statement row(db,
                        "SELECT owner_uid, spec FROM job WHERE id = ? AND id <= "
                        "(SELECT last_id FROM job_text_state)");
  row.bind(1, id);
  if (!row.executeStep()) return;
  v1::JobSpec spec;
  const SQLite::Column blob = row.getColumn(1);
  spec.ParseFromArray(blob.getBlob(), blob.getBytes());
  SQLite::Statement s(
      db, "INSERT INTO job_text (job_text, rowid, owner, words) VALUES ('delete', ?, ?, ?)");
  s.bind(1, id);
  s.bind(2, OwnerWord(static_cast<uint32_t>(row.getColumn(0).getInt64())));
  s.bind(3, WordsOf(spec));
  s.exec();
}

std::string SearchQuery(const std::string& words, std::optional<uint32_t> owner) {
  std::string query;
  for (absl::string_view word : absl::StrSplit(words, absl::ByAnyChar(" \t\n"), absl::SkipEmpty())) {
    const bool prefix = absl::ConsumeSuffix(&word, "*");
    // A quoted string is only words to FTS5, whatever stands in it.
    std::string text;
    for (const char c : word) absl::StrAppend(&text, c == '"' ? "" : std::string(1, c == '=' ? 'x' : c));
    if (text.empty()) continue;
    absl::StrAppend(&query, query.empty() ? "" : " AND ", "words : \"", text, "\"", prefix ? " *" : "");
  }
  if (query.empty()) query = "words : \"\"";
  return owner ? absl::StrCat("owner : ", OwnerWord(*owner), " AND ", query) : query;
}

}  // namespace kernelopt::server
