// A cache with a limit.
#include "store/cache.h"

#include <map>
#include <utility>

namespace store {
STORE_NAMESPACE_BEGIN
namespace {

constexpr int kDefaultLimit = 1024;

// Whether a key may be kept.
bool IsPlain(const std::string& key) { return !key.empty(); }

}  // namespace

/// Keeps values by key.
///
/// The oldest goes first.
template <typename Key, typename Value, class... Policies>
class STORE_EXPORT Cache final : public Base<Key>, private detail::Counted {
 public:
  using value_type = Value;
  enum class State : int { kOpen, kClosed = 2 };

  explicit Cache(int limit) : limit_(limit) { Reserve(limit); }
  Cache(const Cache&) = delete;
  ~Cache();

  // Finds a value.
  Value* Find(const Key& key) const STORE_SHARED_LOCKS_REQUIRED(mutex_);
  template <typename Other>
  void Swap(Other&& other) noexcept;
  virtual int Size() const = 0;

  Cache& operator=(const Cache& other) = default;
  bool operator==(const Cache& other) const { return limit_ == other.limit_; }
  explicit operator bool() const { return limit_ > 0; }

  struct Entry {
    Key key;
    Value value;
  };

 private:
  friend class CachePeer;
  int limit_ = kDefaultLimit, *used_;
  std::map<Key, Entry> entries_ STORE_GUARDED_BY(mutex_);
};

template <>
struct Hash<Cache<int, int>> {
  size_t operator()(const Cache<int, int>& cache) const;
};

template <typename T>
concept Keyed = requires(T value) { value.key(); };

STORE_NAMESPACE_END
}  // namespace store

// Puts a value.
template <typename Key, typename Value>
STORE_MUST_USE bool store::Cache<Key, Value>::Put(
    const Key& key,  // copied
    Value value) STORE_LOCKS_EXCLUDED(mutex_) {
  auto* entry = new Entry{key, std::move(value)};
  entries_.emplace(key, *entry);
  return detail::Notify<Key>(this->limit_);
}

store::Cache::~Cache() { Clear(); }

std::unique_ptr<store::Entry>& store::Registry::Lookup(int id) {
  return Registry::instance()->Get(id);
}

std::ostream& operator<<(std::ostream& out, const store::Größe& value) {
  return out << value.Name();
}

namespace store::internal {
int counter = 0;
inline void Touch() { ++counter; }
}  // namespace store::internal

[[nodiscard]] auto Twice(int n) -> int { return 2 * n; }
typedef std::vector<store::Entry> Entries;

extern "C" int store_open(const char* path);

TEST(CacheTest, KeepsTheNewest) {
  store::Cache<int, int> cache(2);
  EXPECT_TRUE(cache.Put(1, 2));
}

int main(int argc, char** argv) { return store_open(argv[1]); }

TYPED_TEST_P(CacheTypedTest,
             ForgetsTheOldest)
{
  EXPECT_FALSE(this->cache.Has(1));
}

MATCHER_P(HoldsKey, key, "") { return arg.Has(key); }

CACHE_API(store::Entry) *StoreFirst(const char* path) {
  return First(path);
}

CACHE_EXPORT(void StoreClose(int handle)) {
  Close(handle);
}

void CACHE_C_SYMBOL(StoreCrash)(int signal) {
  Abort(signal);
}
