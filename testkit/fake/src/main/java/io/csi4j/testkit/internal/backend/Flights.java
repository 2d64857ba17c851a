package io.csi4j.testkit.internal.backend;

import io.csi4j.client.model.StatusCode;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;

/** The objects on which calls are working. A second call for the same object is refused. */
final class Flights {

  private final ReentrantLock lock = new ReentrantLock();

  /** Held objects. They are compared by identity, so that each call releases its own objects. */
  private final Set<Thing> held = Collections.newSetFromMap(new IdentityHashMap<>());

  /** The objects that one call holds. {@code close} releases them. */
  interface Held extends AutoCloseable {
    @Override
    void close();
  }

  /**
   * An object on which a call works. The component {@code place} is the node on which the call
   * works. A call of the controller has an empty place, which conflicts with every node.
   */
  record Thing(String kind, String id, String place, boolean shared) {

    static Thing volume(String id) {
      return new Thing("volume", id, "", false);
    }

    static Thing volumeOn(String id, String node) {
      return new Thing("volume", id, node, false);
    }

    static Thing name(String kind, String name) {
      return new Thing(kind, name, "", false);
    }

    static Thing snapshot(String id) {
      return new Thing("snapshot", id, "", false);
    }

    /**
     * Returns this object as a source of a copy. Several calls may read the same source
     * concurrently.
     */
    Thing asSource() {
      return new Thing(kind, id, place, true);
    }

    private boolean clashes(Thing other) {
      return kind.equals(other.kind)
          && id.equals(other.id)
          && !(shared && other.shared)
          && (place.equals(other.place) || place.isEmpty() || other.place.isEmpty());
    }
  }

  /** Holds all of the objects, or refuses with ABORTED if another call holds one of them. */
  Held take(List<Thing> things) throws Refusal {
    lock.lock();
    try {
      for (Thing thing : things) {
        if (held.stream().anyMatch(thing::clashes)) {
          throw Refusal.of(
              StatusCode.ABORTED,
              "Another call for the "
                  + thing.kind()
                  + " %s is pending. Wait for it, then call again.",
              thing.id());
        }
      }
      held.addAll(things);
      return () -> release(things);
    } finally {
      lock.unlock();
    }
  }

  private void release(List<Thing> things) {
    lock.lock();
    try {
      things.forEach(held::remove);
    } finally {
      lock.unlock();
    }
  }

  Held take(Thing... things) throws Refusal {
    return take(List.of(things));
  }

  /** Returns whether a call is currently copying from the object. */
  boolean isSource(Thing thing) {
    lock.lock();
    try {
      return held.stream()
          .anyMatch(
              each ->
                  each.shared()
                      && each.kind().equals(thing.kind())
                      && each.id().equals(thing.id()));
    } finally {
      lock.unlock();
    }
  }
}
