package io.csi4j.volume.claim.jdbc;

import io.csi4j.volume.internal.names.Names;
import io.csi4j.volume.state.seal.Sealer;
import io.csi4j.volume.store.StoreIdentity;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The settings for requests of a store to its database. Immutable.
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

  /** Returns the schema with the tables; empty for the schema of the connections. */
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

  /** Returns the key that seals records; empty if they are stored in clear text. */
  public Optional<Sealer> sealer() {
    return Optional.ofNullable(parts.sealer);
  }

  /** Returns the identity that the store must have; empty for any. */
  public Optional<StoreIdentity> identity() {
    return Optional.ofNullable(parts.identity);
  }

  /** Returns whether missing tables are created. */
  public boolean makesTables() {
    return parts.makesTables;
  }

  /** Returns whether the host guarantees that a standby that takes over has all writes. */
  public boolean losesNothingOnFailover() {
    return parts.losesNothingOnFailover;
  }

  /** Collects the parts of {@link JdbcSettings}. */
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

    /** Sets the schema with the tables, which must exist. Each store has its own schema. */
    public Builder schema(String value) {
      Names.check("schema", value);
      schema = value;
      return this;
    }

    /** Limits each request, from 100 ms to 1 minute. 5 s by default. */
    public Builder deadline(Duration value) {
      deadline = Objects.requireNonNull(value, "deadline");
      return this;
    }

    /**
     * Sets the interval between two polls of a watch, from 10 ms to 1 minute. 500 ms by default.
     */
    public Builder watchInterval(Duration value) {
      watchInterval = Objects.requireNonNull(value, "watchInterval");
      return this;
    }

    /**
     * Seals records. Existing records in clear text can be read, and are sealed when they are
     * written the next time. All hosts of the store need the key.
     */
    public Builder sealer(Sealer value) {
      sealer = Objects.requireNonNull(value, "sealer");
      return this;
    }

    /**
     * Sets the identity that the store must have, as returned by {@code RecordStore.identity}.
     * Another store, even an empty one, is opened only for reading, until an operator settles it.
     */
    public Builder identity(StoreIdentity value) {
      identity = Objects.requireNonNull(value, "identity");
      return this;
    }

    /**
     * Sets whether tables are created that are missing, and updated that an older version created.
     * True by default; {@code tables.sql} in the jar contains them for a host that creates them in
     * another way.
     */
    public Builder makesTables(boolean value) {
      makesTables = value;
      return this;
    }

    /**
     * Sets whether a standby that takes over has all writes, because replication is synchronous. If
     * false, the default, a store counts as another store after a standby has taken over, and
     * nothing is written to it before an operator has settled it. If true, a commit that may be
     * missing on the standby, such as one whose wait was cancelled, grants nothing. The store
     * records the setting: it applies to all processes once one has opened the store with it.
     */
    public Builder losesNothingOnFailover(boolean value) {
      losesNothingOnFailover = value;
      return this;
    }

    /**
     * Builds the settings.
     *
     * @throws IllegalArgumentException for a time that is too short or too long
     */
    public JdbcSettings build() {
      return new JdbcSettings(this);
    }
  }
}
