package io.csi4j.mount.internal.watch;

import io.csi4j.mount.model.MountEvent;
import io.csi4j.mount.model.MountPath;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** A listener that keeps what it is told about mounts below one directory, and can be held up. */
final class Told implements Consumer<MountEvent> {

  private static final int PATIENCE_SECONDS = 30;

  private final MountPath directory;
  private final BlockingQueue<MountEvent> events = new LinkedBlockingQueue<>();
  private final CountDownLatch held = new CountDownLatch(1);
  private volatile CountDownLatch gate = new CountDownLatch(0);

  Told(MountPath directory) {
    this.directory = directory;
  }

  @Override
  public void accept(MountEvent event) {
    if (event instanceof MountEvent.Resync || path(event).isWithin(directory)) {
      events.add(event);
      held.countDown();
      await(gate);
    }
  }

  /** The next event. */
  MountEvent next() {
    try {
      MountEvent event = events.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
      if (event == null) {
        throw new AssertionError("no event came");
      }
      return event;
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  /** The next events. */
  List<MountEvent> next(int count) {
    List<MountEvent> list = new ArrayList<>();
    while (list.size() < count) {
      list.add(next());
    }
    return list;
  }

  /** The next event, which is of this type. */
  <E extends MountEvent> E next(Class<E> type) {
    MountEvent event = next();
    if (!type.isInstance(event)) {
      throw new AssertionError("not " + type.getSimpleName() + " but " + event);
    }
    return type.cast(event);
  }

  /** Holds the watch up in its next event. */
  void hold() {
    gate = new CountDownLatch(1);
  }

  void awaitHeld() {
    await(held);
  }

  void release() {
    gate.countDown();
  }

  boolean isEmpty() {
    return events.isEmpty();
  }

  static MountPath path(MountEvent event) {
    if (event instanceof MountEvent.Attached attached) {
      return attached.mount().path();
    }
    if (event instanceof MountEvent.Detached detached) {
      return detached.mount().path();
    }
    return ((MountEvent.Changed) event).now().path();
  }

  private static void await(CountDownLatch latch) {
    try {
      if (!latch.await(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
        throw new AssertionError("waited in vain");
      }
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
