package io.csi4j.volume.claim.jdbc;

import io.csi4j.volume.internal.names.Names;
import io.csi4j.volume.state.seal.Sealer;
import io.csi4j.volume.store.StoreIdentity;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The way in which a store asks its database. Immutable.
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

  /** Begins with the defaults. */
  public static Builder builder() {
    return new Builder();
  }

  /** The defaults. */
  public static JdbcSettings defaults() {
    return builder().build();
  }

  /** Begins with these settings. */
  public Builder toBuilder() {
    return parts.copy();
  }

  /** Returns the schema with the tables; that of the connections if nothing is given. */
  public Optional<String> schema() {
    return Optional.ofNullable(parts.schema);
  }

  /** Returns how long the database may take for each answer. */
  public Duration deadline() {
    return parts.deadline;
  }

  /** Returns how often a watch asks what was written. */
  public Duration watchInterval() {
    return parts.watchInterval;
  }

  /** Returns what records are sealed with; they stand in clear if nothing is given. */
  public Optional<Sealer> sealer() {
    return Optional.ofNullable(parts.sealer);
  }

  /** Returns the store that has to be there; any if nothing is given. */
  public Optional<StoreIdentity> identity() {
    return Optional.ofNullable(parts.identity);
  }

  /** Returns whether tables that are missing are made. */
  public boolean makesTables() {
    return parts.makesTables;
  }

  /** Returns whether the host says that a standby that takes over has all that was written. */
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

    /** Names the schema with the tables, which is there. Several stores have one each. */
    public Builder schema(String value) {
      Names.check("schema", value);
      schema = value;
      return this;
    }

    /** Limits each answer, from 100 ms to 1 minute. 5 s by default. */
    public Builder deadline(Duration value) {
      deadline = Objects.requireNonNull(value, "deadline");
      return this;
    }

    /** Says how often a watch asks what was written, from 10 ms to 1 minute. 500 ms by default. */
    public Builder watchInterval(Duration value) {
      watchInterval = Objects.requireNonNull(value, "watchInterval");
      return this;
    }

    /**
     * Seals records. Those that stand in clear are read, and sealed when they are written the next
     * time. All hosts of the store need the key.
     */
    public Builder sealer(Sealer value) {
      sealer = Objects.requireNonNull(value, "sealer");
      return this;
    }

    /**
     * Names the store that has to be there, as {@code RecordStore.identity} returned it. Another
     * one, also an empty one, is opened for reading alone, until a person settles it.
     */
    public Builder identity(StoreIdentity value) {
      identity = Objects.requireNonNull(value, "identity");
      return this;
    }

    /**
     * Sets whether tables that are missing, or were made by an older version, are made. They are by
     * default; {@code tables.sql} in the jar has them for a host that makes them elsewhere.
     */
    public Builder makesTables(boolean value) {
      makesTables = value;
      return this;
    }

    /**
     * Sets whether a standby that takes over has all that was ever written, as replication is
     * synchronous. If it does not, which is the default, a store that was taken over by a standby
     * counts as another store, and nothing is written to it before a person has settled it. If it
     * does, a commit that may not be on the standby, such as one whose wait was cancelled, is no
     * grant. The store keeps it: it holds for all processes once one has opened the store with it.
     */
    public Builder losesNothingOnFailover(boolean value) {
      losesNothingOnFailover = value;
      return this;
    }

    /**
     * Returns the settings.
     *
     * @throws IllegalArgumentException for a time that is too short or too long
     */
    public JdbcSettings build() {
      return new JdbcSettings(this);
    }
  }
}
