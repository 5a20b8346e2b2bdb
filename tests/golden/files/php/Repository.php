<?php

declare(strict_types=1);

namespace App\Cache;

use ArrayAccess;
use App\Contracts\{Store, Clock as SystemClock};
use App\Support\Traits\Macroable;
use function App\Support\tap;

require_once __DIR__.'/helpers.php';

/**
 * Keeps values.
 *
 * @template T
 */
#[Attribute]
final class Repository extends BaseRepository implements ArrayAccess, Store
{
    use Macroable, Traits\Counts {
        add as protected addOne;
    }

    public const DEFAULT_TTL = 3600, FOREVER = 0;

    /** The store below. */
    protected ?Store $store = null;

    private static array $instances = [], $byName = [];

    /**
     * Makes one.
     */
    public function __construct(
        private readonly SystemClock $clock,
        Store $store,
        protected int $ttl = self::DEFAULT_TTL,
    ) {
        parent::__construct($store);
        $this->store = $store;
        self::$instances[] = $this;
    }

    // Gets a value.
    // Or the default.
    public function get(string $key, mixed $default = null): mixed
    {
        if (is_null($value = $this->store?->find($key))) {
            return value($default);
        }

        return tap($value, function ($v) use ($key) {
            Event::dispatch(new CacheHit($key, $v));
        });
    }

    #[\ReturnTypeWillChange]
    public function offsetGet($key)
    {
        return $this->get($key);
    }

    /** @return static */
    public static function größe(string ...$namen): static
    {
        $make = fn (string $name) => new static(new SystemClock(), $name);

        return \App\Support\collect($namen)->map($make)->first();
    }

    abstract protected function flush(): bool;
}

interface Clearable extends Countable
{
    /** Clears it. */
    public function clear(?string $tag = null): bool;
}

trait Counts
{
    protected int $count = 0;

    public function add(int $by = 1): void
    {
        $this->count += $by;
    }
}

enum Level: string
{
    case Low = 'low';
    case High = 'high';

    public static function default(): self
    {
        return self::Low;
    }
}

if (! function_exists('cache')) {
    /** The cache. */
    function cache(): Repository
    {
        return Container::make(Repository::class);
    }
}

const VERSION = '1.0';
define('CACHE_DEBUG', false);
