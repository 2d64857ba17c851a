package io.csi4j.conformance.store;

import io.csi4j.volume.store.RecordStore;
import java.time.Duration;
import java.util.Set;

/**
 * Creates the stores to check.
 *
 * @since 1.0
 */
public interface RecordStoreFixture {

  /** Optional abilities of a store, which some checks need. */
  enum Ability {
    /** Several clients can open one store at once, as several processes do. */
    SHARED,
    /** Written records survive closing and reopening the store. */
    DURABLE,
    /**
     * The store can write several records at once: {@link RecordStore#together()} is at least 3.
     */
    TOGETHER
  }

  /** The location of one store. */
  interface Place extends AutoCloseable {

    /**
     * Opens the store. Called while another client is open only if the store is {@link
     * Ability#SHARED}, and after all were closed only if it is {@link Ability#DURABLE}.
     */
    RecordStore open();

    /** Removes the location with everything in it. The stores opened on it are closed by then. */
    @Override
    void close();
  }

  /** Returns a location for an empty store that no other check uses. */
  Place place();

  /** Returns the abilities of the stores. Checks that need other abilities are left out. */
  Set<Ability> abilities();

  /** Returns how long a check waits for an expected event before it counts as missing. */
  default Duration patience() {
    return Duration.ofSeconds(30);
  }
}
