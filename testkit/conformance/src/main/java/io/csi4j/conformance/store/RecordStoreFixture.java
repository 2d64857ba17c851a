package io.csi4j.conformance.store;

import io.csi4j.volume.store.RecordStore;
import java.time.Duration;
import java.util.Set;

/**
 * Makes the stores that are checked.
 *
 * @since 1.0
 */
public interface RecordStoreFixture {

  /** The abilities that not every store has, and some checks need. */
  enum Ability {
    /** One store can be opened several times at once, as by several processes. */
    SHARED,
    /** Written records are still there when a store is opened again after it was closed. */
    DURABLE,
    /** Several records can be written at once: {@link RecordStore#together()} is at least 3. */
    TOGETHER
  }

  /** Where one store lives. */
  interface Place extends AutoCloseable {

    /**
     * Opens the store. Called again while one is open only if the store can be {@link
     * Ability#SHARED}, and after all were closed only if it is {@link Ability#DURABLE}.
     */
    RecordStore open();

    /** Ends it, with all that is in it. The stores opened on it are closed by then. */
    @Override
    void close();
  }

  /** Returns a place for an empty store that no other uses. */
  Place place();

  /** Returns the abilities of the stores. Checks that need more are left out. */
  Set<Ability> abilities();

  /** How long a check waits for what must come before it takes it for missing. */
  default Duration patience() {
    return Duration.ofSeconds(30);
  }
}
