package io.csi4j.volume.claim.jdbc;

import io.csi4j.volume.internal.names.Names;
import io.csi4j.volume.state.seal.Sealer;
import io.csi4j.volume.store.StoreIdentity;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a store in a database. Immutable.
 *
 * @since 1.0
 */
public final class JdbcSettings {

  private static final Duration SHORTEST_DEADLINE = Duration.ofMillis(100);
  private static final Duration SHORTEST_INTERVAL = Duration.ofMillis(10);
  private static final Duration LONGEST = Duration.ofMinutes(1);

  private final Builder parts;

  private JdbcSettings(Builder parts) {
    this.parts = parts.copy();
    check("deadline", parts.deadline, SHORTEST_DEADLINE);
    check("interval of watches", parts.watchInterval, SHORTEST_INTERVAL);
  }

  private static void check(String what, Duration value, Duration shortest) {
    if (value.compareTo(shortest) < 0 || value.compareTo(LONGEST) > 0) {
      throw new IllegalArgumentException(
          "The "
              + what
              + " for the database is "
              + value
              + ". Use one from "
              + shortest.toMillis()
              + " ms to 1 minute.");
    }
  }

  /** Returns a builder with the defaults. */
  public static Builder builder() {
    return new Builder();
  }

  /** Returns the default settings. */
  public static JdbcSettings defaults() {
    return builder().build();
  }

  /** Returns a builder with the values of these settings. */
  public Builder toBuilder() {
    return parts.copy();
  }

  /**
   * Returns the schema that contains the tables; empty for the default schema of the connections.
   */
  public Optional<String> schema() {
    return Optional.ofNullable(parts.schema);
  }

  /** Returns the time limit of each request to the database. */
  public Duration deadline() {
    return parts.deadline;
  }

  /** Returns the interval between two polls of a watch. */
  public Duration watchInterval() {
    return parts.watchInterval;
  }

  /** Returns the key with which records are encrypted; empty if they are stored in clear text. */
  public Optional<Sealer> sealer() {
    return Optional.ofNullable(parts.sealer);
  }

  /** Returns the identity that the store must have; empty if every identity is accepted. */
  public Optional<StoreIdentity> identity() {
    return Optional.ofNullable(parts.identity);
  }

  /** Whether missing tables are created. */
  public boolean makesTables() {
    return parts.makesTables;
  }

  /** Whether the host guarantees that a standby that takes over has all writes. */
  public boolean losesNothingOnFailover() {
    return parts.losesNothingOnFailover;
  }

  /** Builder of {@link JdbcSettings}. */
  public static final class Builder {
    private @Nullable String schema;
    private Duration deadline = Duration.ofSeconds(5);
    private Duration watchInterval = Duration.ofMillis(500);
    private @Nullable Sealer sealer;
    private @Nullable StoreIdentity identity;
    private boolean makesTables = true;
    private boolean losesNothingOnFailover;

    private Builder() {}

    private Builder copy() {
      Builder copy = new Builder();
      copy.schema = schema;
      copy.deadline = deadline;
      copy.watchInterval = watchInterval;
      copy.sealer = sealer;
      copy.identity = identity;
      copy.makesTables = makesTables;
      copy.losesNothingOnFailover = losesNothingOnFailover;
      return copy;
    }

    /**
     * Sets the schema for the tables. The schema must exist, and each store needs its own schema.
     */
    public Builder schema(String value) {
      Names.check("schema", value);
      schema = value;
      return this;
    }

    /**
     * Sets the time limit of each request to the database, from 100 ms to 1 minute. The default is
     * 5 s.
     */
    public Builder deadline(Duration value) {
      deadline = Objects.requireNonNull(value, "deadline");
      return this;
    }

    /**
     * Sets the interval between two polls of a watch, from 10 ms to 1 minute. The default is 500
     * ms.
     */
    public Builder watchInterval(Duration value) {
      watchInterval = Objects.requireNonNull(value, "watchInterval");
      return this;
    }

    /**
     * Sets the key with which records are encrypted. Existing records in clear text can still be
     * read, and are encrypted when they are next written. All hosts that use the store need the
     * key. By default, records are stored in clear text.
     */
    public Builder sealer(Sealer value) {
      sealer = Objects.requireNonNull(value, "sealer");
      return this;
    }

    /**
     * Sets the identity that the store must have, as returned by {@code RecordStore.identity}. A
     * store with another identity, even an empty store, is opened only for reading until an
     * operator settles it.
     */
    public Builder identity(StoreIdentity value) {
      identity = Objects.requireNonNull(value, "identity");
      return this;
    }

    /**
     * Sets whether missing tables are created, and tables of older csi4j versions are updated. The
     * default is true. For a host that creates the tables itself, the jar contains the statements
     * in {@code tables.sql}.
     */
    public Builder makesTables(boolean value) {
      makesTables = value;
      return this;
    }

    /**
     * Sets whether a standby that takes over has all writes, because replication is synchronous.
     * The default is false: after a standby has taken over, the store counts as another store, and
     * accepts no writes until an operator has settled it. If true, no claim is granted by a commit
     * that may be missing on the standby, for example because its wait was cancelled. The setting
     * is recorded in the store. After one process has opened the store with this setting, it
     * applies to all processes.
     */
    public Builder losesNothingOnFailover(boolean value) {
      losesNothingOnFailover = value;
      return this;
    }

    /**
     * Returns the settings.
     *
     * @throws IllegalArgumentException if a duration is too short or too long
     */
    public JdbcSettings build() {
      return new JdbcSettings(this);
    }
  }
}
