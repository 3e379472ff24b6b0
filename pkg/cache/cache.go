// Package cache keeps what models compute (vectors, token vectors, scores,
// answers) between runs, for any number of processes at once.
//
//	c, err := cache.Open(dir, warn) // "" is the user's cache, "off" keeps nothing
//	space := cache.Space{Kind: "vector", Model: sha256, Params: "max=512 v1"}
//	if b, ok := c.Load(space.Key(text)); ok { … }
//	c.Store(space.Key(text), b)
//	err = c.Close() // writes what is pending
//
// A value is a pure function of its key: a run gives the same bytes whether
// the cache is cold, warm or off. It is one SQLite file in WAL mode,
// DIR/v1.sqlite with its -wal and -shm beside it. Deleting the folder while no
// tool runs is safe and costs only the time to compute again.
//
// Invariants:
//   - Readers never wait. Writers take turns, each for one short transaction.
//   - A value carries a checksum over key and value; one that does not match
//     is computed again and replaced.
//   - The cache never fails a run, but for a file that is damaged when it is
//     opened: that is an error which names the file to delete. A folder that
//     cannot be written, a full disk, a file at its limit of 8 GiB, a lock that
//     stays taken for 5 seconds, or damage met later: the run goes on without
//     the cache, with one warning.
//   - At most 2 seconds of work are lost when a process is killed, and nothing
//     from before a Flush.
//
// WAL needs shared memory: the folder must not lie on a network file system.
package cache

import (
	"database/sql"
	"errors"
	"fmt"
	"hash/crc32"
	"sync"
	"sync/atomic"
	"time"
)

const (
	limit        = 8 << 30 // bytes of the file
	batchEntries = 256
	batchBytes   = 4 << 20
	batchAge     = 2 * time.Second
)

// Cache is a cache that is open. The zero value keeps nothing, as "off" does.
// It is safe for concurrent use.
type Cache struct {
	path string
	db   *sql.DB
	load *sql.Stmt
	warn func(error)

	broken  atomic.Bool // reads or writes failed; warned
	damaged sync.Once   // a value was; warned

	mu      sync.Mutex // of what follows
	writer  *sql.Conn
	pending []entry
	bytes   int
	since   time.Time // the first pending
}

type entry struct {
	key   Key
	value []byte
}

// Open opens the cache in dir, which is made where it is missing; "off" is a
// cache that keeps nothing. An empty dir stands for $MR_CACHE, and where that
// is not set for mobium-rag/cache in [os.UserCacheDir]. Warn is called, at most
// twice, with what keeps the cache from its work.
func Open(dir string, warn func(error)) (*Cache, error) {
	return open(dir, warn, limit)
}

// Path is the file of the cache, "" where nothing is kept.
func (c *Cache) Path() string { return c.path }

// Load returns the value stored under key. The caller owns it.
func (c *Cache) Load(key Key) ([]byte, bool) {
	if c.db == nil || c.broken.Load() {
		return nil, false
	}
	var value []byte
	var sum uint32
	err := patiently(func() error { return c.load.QueryRow(key.sum[:]).Scan(&value, &sum) })
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return nil, false
	case err != nil:
		c.fail(err)
		return nil, false
	case sum != checksum(key, value):
		c.damaged.Do(func() {
			c.warn(fmt.Errorf("cache %s: a %s value fails its checksum and is computed again; if this comes back, delete the file", c.path, key.kind))
		})
		return nil, false
	}
	return value, true
}

// Store keeps value under key, in place of what was there. It is written with
// others a little later, and by Flush and Close.
func (c *Cache) Store(key Key, value []byte) {
	if c.db == nil || c.broken.Load() {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.pending) == 0 {
		c.since = time.Now()
	}
	c.pending = append(c.pending, entry{key, append([]byte{}, value...)})
	c.bytes += len(value)
	if len(c.pending) >= batchEntries || c.bytes >= batchBytes || time.Since(c.since) >= batchAge {
		c.flush()
	}
}

// Flush writes what is pending, for a value that took minutes.
func (c *Cache) Flush() {
	if c.db == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.flush()
}

// flush writes what is pending in one transaction. The caller holds mu.
func (c *Cache) flush() {
	batch := c.pending
	c.pending, c.bytes = nil, 0
	if len(batch) == 0 || c.broken.Load() {
		return
	}
	if err := c.write(batch); err != nil {
		c.fail(err)
	}
}

// checksum is CRC-32C: it is against damage, not against malice.
func checksum(key Key, value []byte) uint32 {
	table := crc32.MakeTable(crc32.Castagnoli)
	return crc32.Update(crc32.Checksum(key.sum[:], table), table, value)
}

// fail ends the use of the cache in this run.
func (c *Cache) fail(err error) {
	if !c.broken.Swap(true) {
		c.warn(without(c.path, err))
	}
}

// Close writes what is pending and closes the file. A cache that stopped
// working has said so already and closes without an error.
func (c *Cache) Close() error {
	if c.db == nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.flush()
	err := errors.Join(c.writer.Close(), c.load.Close(), c.db.Close())
	c.db = nil
	if c.broken.Load() {
		return nil
	}
	return err
}
