// Copyright is elsewhere.
using System;
using System.Collections.Generic;
using static Packed.Internal.Codes;
using Codes = Packed.Internal.Codes;

#pragma warning disable SA1649

namespace Packed.Formatters
{
    /// <summary>
    /// Writes a <see cref="Dictionary{TKey, TValue}"/>.
    /// </summary>
    /// <typeparam name="TKey">What it is found by.</typeparam>
    [Preserve]
    [Obsolete("Use another", false)]
    public sealed partial class MapFormatter<TKey, TValue> : FormatterBase<TKey>, IFormatter<Dictionary<TKey, TValue>>
        where TKey : notnull
    {
        private const int Header = 0xdf;
        private readonly Dictionary<TKey, TValue> known = new(), spare;
        public event EventHandler<int>? Changed;

        /// <summary>Makes one.</summary>
        public MapFormatter(int capacity)
            : base(capacity)
        {
            known = new Dictionary<TKey, TValue>(capacity);
        }

        ~MapFormatter() => Dispose();

        public int Count { get; private set; } = 0;

        public string Größe
        {
            get { return Measure(known); }
            set { Changed?.Invoke(this, value.Length); }
        }

        public TValue this[TKey key] => known[key];

        public static MapFormatter<TKey, TValue> operator +(MapFormatter<TKey, TValue> a, TValue b) => a.With(b);

        public static implicit operator int(MapFormatter<TKey, TValue> value) => value.Count;

        // Overloads have one name.
        public void Serialize(ref Writer writer, Dictionary<TKey, TValue>? value)
        {
            if (value is null)
            {
                writer.WriteNil();
                return;
            }

            void WriteOne(TKey key) => writer.Write<TKey>(key);
            WriteOne(default);
        }

        public void Serialize(ref Writer writer) => Serialize(ref writer, null);

        /// <inheritdoc />
        /// <param name="limit">How many at most.</param>
        /// <returns>The map.</returns>
        public async Task<Dictionary<TKey, TValue>> DeserializeAsync<TOption>(
            Stream stream, // left open
            TOption? limit = default)
            where TOption : struct
        {
            using var reader = new Reader(stream);
            return await reader.ReadMap<TKey>(limit).ConfigureAwait(false);
        }

        private enum State
        {
            Open,
            Closed = 2,
        }

#if NETSTANDARD
        internal void Flush() { }
#endif
    }

    public interface IFormatter<T>
    {
        int Order { get; }

        /// <summary>Writes one.</summary>
        void Serialize(ref Writer writer, T value);
    }

    public record Pair(int Left, string Right);

    public readonly struct Place
    {
        public readonly int Line;
    }

    public delegate void Visit<in T>(T value);

    internal static class Program
    {
        private static void Main(string[] args) => Console.WriteLine(args.Length);
    }
}
