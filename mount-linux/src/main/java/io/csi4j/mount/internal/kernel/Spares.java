package io.csi4j.mount.internal.kernel;

import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Supplier;

/**
 * Unused memory for reuse. A taker has it exclusively until it is returned. There is always some;
 * surplus memory is dropped. A thread finds its own memory again without owning it, so any number
 * of threads, including virtual ones, leaves little behind.
 *
 * @param <T> the object with the memory
 */
public final class Spares<T> {

  /** A power of two. */
  private static final int PLACES = 16;

  private final AtomicReferenceArray<T> free = new AtomicReferenceArray<>(PLACES);
  private final Supplier<T> maker;

  /** Creates an empty store; the supplier makes missing memory. */
  public Spares(Supplier<T> maker) {
    this.maker = maker;
  }

  /** Returns memory for exclusive use, with old bytes in it. */
  public T take() {
    T taken = free.getAndSet(place(), null);
    return taken == null ? maker.get() : taken;
  }

  /** Returns memory to the store. */
  public void giveBack(T taken) {
    free.setRelease(place(), taken);
  }

  @SuppressWarnings("deprecation") // its successor came after Java 17
  private static int place() {
    return (int) Thread.currentThread().getId() & (PLACES - 1);
  }
}
