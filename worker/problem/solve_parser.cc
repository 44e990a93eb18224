#include "problem/solve_parser.h"

#include <algorithm>
#include <cctype>
#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace kernelopt::worker {
namespace {

enum class Kind { kWord, kText, kMark };

struct Token {
  Kind kind;
  std::string text;
};

bool IsWordStart(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool IsWord(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// Source to tokens; comments and preprocessor lines are gone.
class Lexer {
 public:
  explicit Lexer(std::string_view source) : s_(source) {}

  std::vector<Token> Run() {
    while (at_ < s_.size()) Step();
    return std::move(tokens_);
  }

 private:
  void Step() {
    const char c = s_[at_];
    if (c == '\n') {
      line_start_ = true;
      ++at_;
    } else if (std::isspace(static_cast<unsigned char>(c)) != 0) {
      ++at_;
    } else if (s_.substr(at_, 2) == "//") {
      SkipLine();
    } else if (s_.substr(at_, 2) == "/*") {
      const size_t end = s_.find("*/", at_ + 2);
      at_ = end == std::string_view::npos ? s_.size() : end + 2;
    } else if (c == '#' && line_start_) {
      SkipLine();
    } else {
      line_start_ = false;
      Take(c);
    }
  }

  // To the end of the line; a backslash carries on to the next.
  void SkipLine() {
    while (at_ < s_.size() && s_[at_] != '\n') at_ += s_[at_] == '\\' ? 2 : 1;
  }

  void Take(char c) {
    if (c == 'R' && s_.substr(at_, 2) == "R\"") return TakeRaw();
    if (c == '"' || c == '\'') return TakeQuoted(c);
    const size_t start = at_;
    if (IsWordStart(c)) {
      while (at_ < s_.size() && IsWord(s_[at_])) ++at_;
      tokens_.push_back({Kind::kWord, std::string(s_.substr(start, at_ - start))});
    } else if (std::isdigit(static_cast<unsigned char>(c)) != 0) {
      while (at_ < s_.size() && (IsWord(s_[at_]) || s_[at_] == '\'' || s_[at_] == '.')) ++at_;
      tokens_.push_back({Kind::kText, "0"});
    } else {
      at_ += s_.substr(at_, 2) == "::" ? 2 : 1;
      tokens_.push_back({Kind::kMark, std::string(s_.substr(start, at_ - start))});
    }
  }

  void TakeQuoted(char quote) {
    const size_t start = ++at_;
    while (at_ < s_.size() && s_[at_] != quote) at_ += s_[at_] == '\\' ? 2 : 1;
    at_ = std::min(at_, s_.size());
    tokens_.push_back({Kind::kText, absl::StrCat("\"", std::string(s_.substr(start, at_ - start)))});
    ++at_;
  }

  void TakeRaw() {
    const size_t open = s_.find('(', at_);
    if (open == std::string_view::npos) {
      at_ = s_.size();
      return;
    }
    const std::string close = absl::StrCat(")", std::string(s_.substr(at_ + 2, open - at_ - 2)), "\"");
    const size_t end = s_.find(close, open);
    at_ = end == std::string_view::npos ? s_.size() : end + close.size();
    tokens_.push_back({Kind::kText, "\""});
  }

  std::string_view s_;
  size_t at_ = 0;
  bool line_start_ = true;
  std::vector<Token> tokens_;
};

using Tokens = std::vector<Token>;
using Result = std::variant<SolveParameter, ParseProblem>;

bool Is(const Token& token, std::string_view text) { return token.text == text; }

bool IsQualifier(const std::string& word) {
  return word == "volatile" || word == "restrict" || word == "__restrict" ||
         word == "__restrict__" || word == "struct" || word == "register";
}

// std::, cuda::std::, thrust::
bool IsNamespace(const Tokens& tokens, size_t i) {
  const bool known = Is(tokens[i], "std") || Is(tokens[i], "cuda") || Is(tokens[i], "thrust");
  return known && i + 1 < tokens.size() && Is(tokens[i + 1], "::");
}

std::string Spell(const Tokens& tokens) {
  return absl::StrJoin(tokens, " ", [](std::string* out, const Token& t) { out->append(t.text); });
}

// `const float * __restrict__ x`, already cut out of the list.
Result ParseParameter(const Tokens& tokens, size_t position, const std::string& function) {
  SolveParameter parameter;
  std::vector<std::string> words;
  int stars = 0;
  for (size_t i = 0; i < tokens.size(); ++i) {
    const Token& token = tokens[i];
    if (Is(token, "=")) break;
    if (Is(token, "*")) {
      ++stars;
    } else if (Is(token, "[")) {
      ++stars;
      while (i + 1 < tokens.size() && !Is(tokens[i], "]")) ++i;
    } else if (Is(token, "const")) {
      if (stars == 0) parameter.pointee_const = true;
    } else if (Is(token, "::") || IsNamespace(tokens, i) || IsQualifier(token.text)) {
      continue;
    } else if (Is(token, "complex") && i + 3 < tokens.size() && Is(tokens[i + 1], "<") && Is(tokens[i + 3], ">")) {
      words.push_back(absl::StrCat("complex<", tokens[i + 2].text, ">"));
      i += 3;
    } else if (token.kind == Kind::kWord) {
      words.push_back(token.text);
    } else {
      return ParseProblem{"BAD_SIGNATURE",
                          absl::StrCat("parameter ", position, " of ", function, ", \"", Spell(tokens),
                                       "\", is not a scalar or a pointer; references, templates "
                                       "and function pointers cannot be passed")};
    }
  }
  const bool named = words.size() > 1 && !DTypeFromC(absl::StrJoin(words, " "));
  if (!named) {
    return ParseProblem{"BAD_SIGNATURE", absl::StrCat("parameter ", position, " of ", function, ", \"",
                                                      Spell(tokens), "\", needs a name")};
  }
  parameter.name = words.back();
  words.pop_back();
  const std::string type = absl::StrJoin(words, " ");
  const std::optional<DType> part = stars == 1 ? PartOfComplexFromC(type) : std::nullopt;
  const std::optional<DType> dtype = part ? part : DTypeFromC(type);
  if (type == "cudaStream_t" && stars == 0) {
    parameter.stream = true;
    parameter.c_type = type;
    return parameter;
  }
  if (type == "void" && stars == 1 && parameter.name == "workspace") {
    parameter.workspace = parameter.pointer = true;
    parameter.dtype = DType::kUint8;
    parameter.c_type = "void*";
    return parameter;
  }
  if (!dtype || stars > 1) {
    return ParseProblem{
        "UNSUPPORTED_TYPE",
        absl::StrCat("parameter \"", parameter.name, "\" has the type ", type,
                     std::string(static_cast<size_t>(stars), '*'),
                     "; use float, double, half, __nv_bfloat16, fp8, (u)int8_t to (u)int64_t, "
                     "bool, spelled out, or one pointer to them or to cuFloatComplex, cuDoubleComplex, std::complex (void* only for a parameter called workspace)")};
  }
  parameter.dtype = *dtype;
  parameter.complex = part.has_value();
  parameter.pointer = stars == 1;
  parameter.c_type = absl::StrCat(type, parameter.pointer ? "*" : "");
  if (!parameter.pointer) parameter.pointee_const = false;
  return parameter;
}

// Walks the file at namespace level, remembers what it saw of `name`.
class Finder {
 public:
  // `returns`: the words one of which must be its return type.
  Finder(const Tokens& tokens, std::string name, std::vector<std::string> returns)
      : t_(tokens), name_(std::move(name)), returns_(std::move(returns)) {}

  std::variant<Parameters, ParseProblem> Run() {
    while (at_ < t_.size()) Step();
    if (found_) return Parse();
    const std::string wanted = absl::StrCat("extern \"C\" ", returns_[0], " ", name_, "(...)");
    return ParseProblem{"NO_ENTRY_POINT",
                        plain_ ? absl::StrCat(name_, " is there but not extern \"C\"; declare it as ", wanted)
                               : absl::StrCat("no ", name_, " function found; define ", wanted)};
  }
  // It is there, in whatever form.
  bool seen() const { return found_.has_value() || plain_; }

 private:
  struct Found {
    Tokens before, parameters;
    bool definition = false;
  };

  void Step() {
    if (Is(t_[at_], "extern") && at_ + 1 < t_.size() && Is(t_[at_ + 1], "\"C")) {
      at_ += 2;
      statement_c_ = true;
      start_ = at_;
      if (at_ < t_.size() && Is(t_[at_], "{")) {
        ++c_blocks_;
        EndStatement(++at_);
      }
    } else if (Is(t_[at_], "{")) {
      SkipBraces();
      EndStatement(at_);
    } else if (Is(t_[at_], "}")) {
      if (c_blocks_ > 0) --c_blocks_;
      EndStatement(++at_);
    } else if (Is(t_[at_], ";")) {
      EndStatement(++at_);
    } else if (Is(t_[at_], name_) && at_ + 1 < t_.size() && Is(t_[at_ + 1], "(")) {
      TakeFunction();
    } else if (Is(t_[at_], "(")) {
      SkipParentheses();
    } else {
      ++at_;
    }
  }

  void EndStatement(size_t next) {
    statement_c_ = false;
    start_ = next;
  }

  void SkipBraces() { Skip("{", "}"); }
  void SkipParentheses() { Skip("(", ")"); }
  void Skip(std::string_view open, std::string_view close) {
    int depth = 0;
    do {
      if (Is(t_[at_], open)) ++depth;
      if (Is(t_[at_], close)) --depth;
      ++at_;
    } while (at_ < t_.size() && depth > 0);
  }

  void TakeFunction() {
    Found found;
    found.before.assign(t_.begin() + static_cast<std::ptrdiff_t>(start_),
                        t_.begin() + static_cast<std::ptrdiff_t>(at_));
    const size_t open = ++at_;
    SkipParentheses();
    if (at_ - open >= 2) {
      found.parameters.assign(t_.begin() + static_cast<std::ptrdiff_t>(open + 1),
                              t_.begin() + static_cast<std::ptrdiff_t>(at_ - 1));
    }
    while (at_ < t_.size() && t_[at_].kind == Kind::kWord) ++at_;  // noexcept
    found.definition = at_ < t_.size() && Is(t_[at_], "{");
    const bool declared = found.definition || (at_ < t_.size() && Is(t_[at_], ";"));
    if (!declared || found.before.empty()) return;
    if (!statement_c_ && c_blocks_ == 0 && !found_) {
      plain_ = true;
      return;
    }
    if (!found_ || (found.definition && !found_->definition)) found_ = std::move(found);
  }

  std::variant<Parameters, ParseProblem> Parse() const {
    bool right = false;
    for (const Token& token : found_->before) {
      for (const std::string& type : returns_) right |= Is(token, type);
    }
    if (!right) {
      return ParseProblem{"BAD_SIGNATURE", absl::StrCat(name_, " returns \"", Spell(found_->before),
                                                        "\"; it must return ", returns_[0])};
    }
    Parameters parameters;
    Tokens current;
    int depth = 0;
    const auto flush = [&]() -> std::optional<ParseProblem> {
      Result one = ParseParameter(current, parameters.size() + 1, name_);
      current.clear();
      if (auto* problem = std::get_if<ParseProblem>(&one)) return *problem;
      auto& parameter = std::get<SolveParameter>(one);
      for (const SolveParameter& other : parameters) {
        if (other.name == parameter.name) {
          return ParseProblem{"BAD_SIGNATURE",
                              absl::StrCat("two parameters of ", name_, " are called ", other.name)};
        }
      }
      parameters.push_back(std::move(parameter));
      return std::nullopt;
    };
    const Tokens& list = found_->parameters;
    if (list.empty() || (list.size() == 1 && Is(list[0], "void"))) return parameters;
    for (const Token& token : list) {
      if (Is(token, "(") || Is(token, "<")) ++depth;
      if (Is(token, ")") || Is(token, ">")) --depth;
      if (depth == 0 && Is(token, ",")) {
        if (auto problem = flush()) return *problem;
      } else {
        current.push_back(token);
      }
    }
    if (auto problem = flush()) return *problem;
    return parameters;
  }

  const Tokens& t_;
  const std::string name_;
  const std::vector<std::string> returns_;
  size_t at_ = 0, start_ = 0;
  int c_blocks_ = 0;
  bool statement_c_ = false, plain_ = false;
  std::optional<Found> found_;
};

}  // namespace

std::variant<SolveSignature, ParseProblem> ParseSolve(std::string_view source) {
  const Tokens tokens = Lexer(source).Run();
  SolveSignature signature;
  auto solve = Finder(tokens, "solve", {"void"}).Run();
  if (auto* problem = std::get_if<ParseProblem>(&solve)) return *problem;
  signature.parameters = std::get<Parameters>(std::move(solve));
  const auto optional = [&](Finder finder, std::optional<Parameters>& out) -> std::optional<ParseProblem> {
    auto found = finder.Run();
    if (!finder.seen()) return std::nullopt;
    if (auto* problem = std::get_if<ParseProblem>(&found)) return *problem;
    out = std::get<Parameters>(std::move(found));
    return std::nullopt;
  };
  if (auto bad = optional(Finder(tokens, "solve_prepare", {"void"}), signature.prepare)) return *bad;
  if (auto bad = optional(Finder(tokens, "solve_workspace_bytes", {"size_t", "int64_t", "uint64_t", "long"}),
                          signature.workspace_bytes)) {
    return *bad;
  }
  const auto takes_workspace = [](const std::optional<Parameters>& list) {
    return list && std::any_of(list->begin(), list->end(), [](const SolveParameter& p) { return p.workspace; });
  };
  if ((takes_workspace(signature.parameters) || takes_workspace(signature.prepare)) && !signature.workspace_bytes) {
    return ParseProblem{"BAD_SIGNATURE", "void* workspace needs extern \"C\" size_t "
                                         "solve_workspace_bytes(...), which says how large it must be"};
  }
  return signature;
}

}  // namespace kernelopt::worker
