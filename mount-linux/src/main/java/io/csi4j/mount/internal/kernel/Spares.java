package io.csi4j.mount.internal.kernel;

import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Supplier;

/**
 * Memory that is not in use. A taker has it alone until it is given back; there is always some, and
 * what is too much is forgotten. A thread finds its own again without being its owner, so that any
 * number of threads, virtual ones too, leaves little behind.
 *
 * @param <T> what holds the memory
 */
public final class Spares<T> {

  /** A power of two. */
  private static final int PLACES = 16;

  private final AtomicReferenceArray<T> free = new AtomicReferenceArray<>(PLACES);
  private final Supplier<T> maker;

  /** None yet; this makes what is missing. */
  public Spares(Supplier<T> maker) {
    this.maker = maker;
  }

  /** Returns memory that no other has, with old bytes in it. */
  public T take() {
    T taken = free.getAndSet(place(), null);
    return taken == null ? maker.get() : taken;
  }

  /** Gives back what was taken. */
  public void giveBack(T taken) {
    free.setRelease(place(), taken);
  }

  @SuppressWarnings("deprecation") // its successor came after Java 17
  private static int place() {
    return (int) Thread.currentThread().getId() & (PLACES - 1);
  }
}
