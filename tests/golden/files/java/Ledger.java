/*
 * Copyright: none, this file only exists to be parsed.
 */
package com.example.ledger;

import static com.example.util.Checks.notNull;
import com.example.util.*;
import java.util.List;
import java.util.function.Function;

/**
 * Books entries.
 *
 * @author nobody
 */
@Service
@SuppressWarnings({"unchecked", "rawtypes"})
public final class Ledger<T extends Entry & Comparable<T>> extends Base implements Book<T>, AutoCloseable {
  /** The most entries. */
  public static final int LIMIT = 100, LEAST = 1; // both are inclusive
  private final List<T> entries = new ArrayList<>();
  private volatile String größe;

  static {
    System.loadLibrary("ledger");
  }

  // Made by the builder only.
  private Ledger() { super(null); }

  public Ledger(List<T> entries) throws LedgerException {
    this();
    this.entries.addAll(notNull(entries));
  }

  /** {@inheritDoc} */
  @Override
  @Nullable
  public <R> R fold(
      Function<? super T, ? extends R> step, // called for each
      R start) {
    Comparator<T> order = new Comparator<T>() {
      @Override
      public int compare(T a, T b) {
        return a.compareTo(b);
      }
    };
    entries.sort(order);
    return entries.stream().map(step).reduce(start, (a, b) -> b);
  }

  public void fold() {}

  @Override public void close() { new Closer(this).run(); }

  /** One side of a booking. */
  public enum Side implements Signed {
    /** Money in. */
    CREDIT("+") {
      @Override public int sign() { return 1; }
    },
    DEBIT("-");

    private final String mark;

    Side(String mark) { this.mark = mark; }

    public int sign() { return -1; }
  }

  record Amount(long cents, Currency currency) {
    Amount {
      if (cents < 0) throw new IllegalArgumentException("😀" + cents);
    }

    static Amount zero() { return new Amount(0, null); }
  }

  @FunctionalInterface
  interface Rule<E> {
    int PRIORITY = 1;

    boolean allows(E entry);

    default Rule<E> not() { return e -> !allows(e); }
  }

  @interface Audited {
    String value() default "";
  }

  public static void main(String[] args) {
    System.out.println(new Ledger<>().fold(null, null));
  }
}
