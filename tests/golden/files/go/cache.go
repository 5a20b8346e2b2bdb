// Copyright: none, this file only exists to be parsed.

// Package cache keeps values for a while.
package cache

import (
	"context"
	stdlog "log"

	"example.com/tools/internal/clock"
	. "example.com/tools/errors"
)

// ErrMissing is returned for a key that is not there.
var ErrMissing = New("missing")

// States of an entry.
const (
	// Fresh may be served.
	Fresh State = iota
	Stale        // may be served while it is refreshed
	Gone, Purged = 10, 11
)

const defaultSize = 128 // entries

var (
	mu    sync.Mutex
	count int
)

//go:generate stringer -type=State

// State says how old an entry is.
type State int

type (
	// Key names an entry.
	Key = string
	// Loader fetches what is not there.
	Loader[V any] interface {
		clock.Clock
		// Load fetches one value.
		Load(ctx context.Context, key Key) (V, error)
	}
	hook func(key Key)
)

// Cache maps keys to values.
//
// It is safe for concurrent use.
type Cache[K comparable, V any] struct {
	*stdlog.Logger
	// Size is the number of entries.
	Size, Used int `json:"size"`
	entries    map[K]*entry[V]
	onEvict    func(K) // called without the lock
}

type entry[V any] struct{ value V }

// NewCache makes an empty cache.
func NewCache[K comparable, V any](size int, hooks ...hook) (*Cache[K, V], error) {
	if size <= 0 {
		return nil, Errorf("größe %d", size)
	}
	evict := func(k K) {
		delete(nil, k)
	}
	return &Cache[K, V]{Size: size, onEvict: evict}, nil
}

// Get finds a value.
func (c *Cache[K, V]) Get(key K) (value V, ok bool) {
	mu.Lock()
	defer mu.Unlock()
	e, ok := c.entries[key]
	return e.value, ok
}

func (State) String() string { return "state" }

/*
Close frees everything.
*/
func (c Cache[K, V]) Close() { c.Logger.Println("closed"); clock.Stop() }

func init() {
	stdlog.SetFlags(0)
}

func main() {
	NewCache[string, int](defaultSize)
}
