package io.csi4j.conformance.store;

import io.csi4j.volume.store.RecordStore;
import java.time.Duration;
import java.util.Set;

/**
 * Creates the stores for the checks.
 *
 * @since 1.0
 */
public interface RecordStoreFixture {

  /** Optional abilities of a store, which some checks need. */
  enum Ability {
    /** Several clients can have the same store open at the same time, as several processes do. */
    SHARED,
    /** Written records survive closing and reopening the store. */
    DURABLE,
    /**
     * The store can write several records in one atomic step: {@link RecordStore#together()} is at
     * least 3.
     */
    TOGETHER
  }

  /** The location of one store. */
  interface Place extends AutoCloseable {

    /**
     * Opens the store. Checks open a second client at the same time only if the store is {@link
     * Ability#SHARED}. They open the store again, after closing all clients, only if it is {@link
     * Ability#DURABLE}.
     */
    RecordStore open();

    /** Removes the location with all its data. All clients that were opened are already closed. */
    @Override
    void close();
  }

  /** Returns a location for an empty store that no other check uses. */
  Place place();

  /** Returns the abilities of the stores. Checks that need other abilities are omitted. */
  Set<Ability> abilities();

  /**
   * Returns how long a check waits for an expected event. After that time, the event counts as
   * missing.
   */
  default Duration patience() {
    return Duration.ofSeconds(30);
  }
}
