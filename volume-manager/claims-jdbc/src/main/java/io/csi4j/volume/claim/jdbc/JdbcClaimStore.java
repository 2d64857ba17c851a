package io.csi4j.volume.claim.jdbc;

import io.csi4j.volume.claim.Claim;
import io.csi4j.volume.claim.jdbc.Database.Fate;
import io.csi4j.volume.claim.spi.ClaimPage;
import io.csi4j.volume.claim.spi.ClaimStore;
import io.csi4j.volume.store.RecordStoreException;
import io.csi4j.volume.claim.spi.ClaimVersion;
import io.csi4j.volume.claim.spi.ClaimWatch;
import io.csi4j.volume.store.StoreIdentity;
import io.csi4j.volume.claim.spi.Versioned;
import io.csi4j.volume.claim.spi.WriteResult;
import io.csi4j.volume.claim.spi.WriteToken;
import io.csi4j.volume.internal.claims.SharedClaims;
import io.csi4j.volume.internal.claims.SortedName;
import io.csi4j.volume.internal.store.StoreMemory;
import io.csi4j.volume.internal.time.OnDemandThreads;
import io.csi4j.volume.internal.time.Scheduler;
import io.csi4j.volume.model.ReasonText;
import io.csi4j.volume.model.VolumeKey;
import java.nio.charset.StandardCharsets;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import javax.sql.DataSource;

/**
 * A store in PostgreSQL, for many machines that have a database already. The version of a claim is
 * the number of the write of it among all writes to the store, which are made one after the other.
 *
 * <p>Beside the claims stands the mark of the store, made when it is first opened. Nothing is
 * written where another mark stands, or where the same mark stands in other tables, in another
 * cluster or in another timeline of it: then it is a copy that was restored, and also a process
 * that is started afterwards writes nothing before a person has called {@link #settle}. An operator
 * who restores an older copy in another way deletes the row of {@code csi4j_claim_store} in it.
 *
 * <p>Each question takes one connection of the host's {@link DataSource}, for one statement; so a
 * pool serves it best. The store never closes the source.
 *
 * <pre>{@code
 * ClaimStore store = JdbcClaimStore.open(dataSource, JdbcSettings.defaults());
 * ClaimBook book = new ClaimBook(store, Clock.systemUTC());
 * }</pre>
 *
 * @since 1.0
 */
public final class JdbcClaimStore implements ClaimStore {

  /** A page of the largest claims is an answer that a process takes. */
  private static final int LONGEST_PAGE = 256;

  /** At versions that this divides, old writes are forgotten. */
  private static final int FORGETTING = 256;

  private final Database database;
  private final ClaimTables tables;
  private final JdbcSettings settings;
  private final SharedClaims claims;
  private final Scheduler scheduler = new OnDemandThreads("csi4j-volume-jdbc-watch", 1);
  private final StoreMemory memory;
  private final Set<JdbcWatch> watches = ConcurrentHashMap.newKeySet();

  /**
   * Number of times that the primary may have had something that no standby has; 0 for a store that
   * does not rely on standbys. An earlier process may have left such a write.
   */
  private final AtomicLong unconfirmed;

  /** Number of those after which the standbys were seen to have all. */
  private final AtomicLong confirmed = new AtomicLong();

  private volatile boolean closed;

  private JdbcClaimStore(DataSource source, JdbcSettings settings) {
    this.settings = settings;
    unconfirmed = new AtomicLong(settings.losesNothingOnFailover() ? 1 : 0);
    database = new Database(source, settings.deadline());
    tables = new ClaimTables(settings);
    claims = new SharedClaims("the database", settings.sealer());
    ClaimRows first = begin();
    memory =
        new StoreMemory(
            "the database is at version",
            settings.identity(),
            first.identity(),
            first.problem(),
            first.version());
  }

  /**
   * Opens the store. Makes its tables, unless the settings say that they are there, and its mark if
   * it is new. One that has claims and no mark, is a copy, or is not {@link JdbcSettings#identity},
   * is opened for reading alone: see {@link #settle}.
   *
   * @throws RecordStoreException if the database cannot be reached, or refuses
   */
  public static JdbcClaimStore open(DataSource source, JdbcSettings settings) {
    return new JdbcClaimStore(source, settings);
  }

  private ClaimRows begin() {
    try {
      if (settings.makesTables()) {
        makeTables();
      }
      if (settings.identity().isEmpty()) {
        mark(tables.mark());
        database.ask(tables.complete(), PreparedStatement::executeUpdate);
      }
      return look();
    } catch (Database.Failure failure) {
      throw failure.during("Opening the store of claims");
    }
  }

  private void mark(String sql) {
    database.ask(
        sql,
        statement -> {
          statement.setObject(1, UUID.randomUUID());
          return statement.executeUpdate();
        });
  }

  /**
   * Settles the store: claims are taken again, by all processes that have been started since it
   * became another one. For a person, or a program, that has compared all claims with what the
   * nodes have mounted. Does nothing to a store that takes writes.
   *
   * <p>A store without a mark, and a copy, get another mark. A store that is not {@link
   * JdbcSettings#identity} is taken by this process as it is; configure the returned identity
   * before the next start.
   *
   * @return which store it is from now on
   * @throws RecordStoreException if the database cannot be asked; with {@link
   *     RecordStoreException.Reason#IN_DOUBT} if this process opened the store before it became
   *     another one, and has to be started again first
   */
  public StoreIdentity settle() {
    String doing = "Settling the store of claims";
    try {
      look(doing);
      if (memory.readOnly().isEmpty()) {
        memory.checkSettling();
      } else {
        mark(tables.settle());
        ClaimRows now = look();
        memory.settle(now.identity(), now.version());
      }
      return memory.identity();
    } catch (Database.Failure failure) {
      throw failure.during(doing);
    }
  }

  private void makeTables() {
    boolean areThere =
        database.ask(
            tables.areThere(),
            statement -> {
              try (ResultSet result = statement.executeQuery()) {
                return result.next() && result.getBoolean(1);
              }
            });
    if (!areThere) {
      database.on(
          connection -> {
            connection.setAutoCommit(false);
            try (var statement = connection.createStatement()) {
              statement.execute(tables.turnToCreate());
              statement.execute(tables.creation());
              connection.commit();
              return true;
            } finally {
              connection.setAutoCommit(true);
            }
          });
    }
  }

  private ClaimRows look() {
    return writtenAfter(Long.MAX_VALUE, 1);
  }

  private ClaimRows look(String doing) {
    return seen(doing, () -> look());
  }

  /** The writes behind a version, in their order. */
  ClaimRows writtenAfter(long version, int limit) {
    return answer(
        tables.written(),
        statement -> {
          statement.setLong(1, version);
          statement.setInt(2, limit);
        });
  }

  /** Values for a statement. */
  private interface Values {
    void setOn(PreparedStatement statement) throws SQLException;
  }

  private ClaimRows answer(String sql, Values values) {
    return database.ask(
        sql,
        statement -> {
          values.setOn(statement);
          try (ResultSet result = statement.executeQuery()) {
            return ClaimRows.of(result);
          }
        });
  }

  /** Asks, and takes in which store it was that answered. */
  private ClaimRows seen(String doing, Supplier<ClaimRows> question) {
    long before = memory.reached();
    try {
      ClaimRows answer = question.get();
      memory.saw(before, answer.identity(), answer.problem(), answer.version());
      if (memory.readOnly().isEmpty()) {
        confirm();
      }
      return answer;
    } catch (Database.Failure failure) {
      throw failure.during(doing);
    }
  }

  /** Waits until the standbys have what was seen, if they may lack some of it. */
  private void confirm() {
    long open = unconfirmed.get();
    if (open > confirmed.get()) {
      database.ask(
          tables.confirm(),
          statement -> {
            int changed = statement.executeUpdate();
            Database.refuseWarned(statement);
            return changed;
          });
      confirmed.accumulateAndGet(open, Math::max);
    }
  }

  /** The claim in a row. */
  Versioned claim(ClaimRows.Row row) {
    return claims.claim(kept(row));
  }

  private static SharedClaims.Kept kept(ClaimRows.Row row) {
    return new SharedClaims.Kept(
        row.name(), new String(row.name(), StandardCharsets.UTF_8), row.version(), row.record());
  }

  @Override
  public Versioned read(VolumeKey volume) {
    ClaimRows answer =
        seen(
            "Reading the claim of volume '" + volume + "'",
            () -> answer(tables.read(), statement -> statement.setBytes(1, SortedName.of(volume))));
    return answer.rows().stream()
        .map(this::claim)
        .findFirst()
        .orElseGet(() -> new Versioned(Claim.none(volume), ClaimVersion.NEVER, Optional.empty()));
  }

  @Override
  public WriteResult compareAndSet(ClaimVersion expected, Claim next, WriteToken token) {
    String doing = "Writing the claim of volume '" + next.volume() + "'";
    if (memory.readOnly().isPresent()) {
      // A person may have settled it through another process.
      look(doing);
      memory.checkWritable(doing, "JdbcClaimStore.settle()");
    }
    String opened = memory.opened().value();
    byte[] name = SortedName.of(next.volume());
    byte[] record = claims.bytes(next, token, expected);
    OptionalLong made;
    try {
      made =
          expected.equals(ClaimVersion.NEVER)
              ? write(
                  tables.insert(),
                  statement -> {
                    statement.setString(1, opened);
                    statement.setBytes(2, name);
                    statement.setBytes(3, record);
                  })
              : write(
                  tables.update(),
                  statement -> {
                    statement.setString(1, opened);
                    statement.setBytes(2, record);
                    statement.setBytes(3, name);
                    statement.setLong(4, expected.value());
                  });
    } catch (Database.Failure failure) {
      if (failure.fate() == Fate.UNKNOWN) {
        if (settings.losesNothingOnFailover()) {
          unconfirmed.incrementAndGet();
        }
        return new WriteResult.Unknown(new ReasonText(failure.because()));
      }
      throw failure.during(doing);
    }
    if (made.isEmpty()) {
      return notWritten(next.volume(), token);
    }
    memory.reached(made.getAsLong());
    forgetSometimes(made.getAsLong());
    return new WriteResult.Written(
        new Versioned(next, new ClaimVersion(made.getAsLong()), Optional.of(token)));
  }

  private OptionalLong write(String sql, Values values) {
    return database.ask(
        sql,
        statement -> {
          values.setOn(statement);
          try (ResultSet result = statement.executeQuery()) {
            OptionalLong made =
                result.next() ? OptionalLong.of(result.getLong(1)) : OptionalLong.empty();
            if (settings.losesNothingOnFailover()) {
              Database.refuseWarned(statement);
            }
            return made;
          }
        });
  }

  /** Another version is there, or the write was made when it was tried before. */
  private WriteResult notWritten(VolumeKey volume, WriteToken token) {
    Versioned there = read(volume);
    return there.by().filter(token::equals).isPresent()
        ? new WriteResult.Written(there)
        : new WriteResult.Conflict(there);
  }

  private void forgetSometimes(long version) {
    if (version % FORGETTING == 0) {
      try {
        database.ask(tables.forget(), PreparedStatement::executeUpdate);
      } catch (Database.Failure later) {
        // One of the next writes does it.
        return;
      }
    }
  }

  @Override
  public ClaimPage scan(Optional<VolumeKey> after, int limit) {
    if (limit < 1) {
      throw new IllegalArgumentException("A page has at least one claim, not " + limit + ".");
    }
    return claims.page(
        after,
        Math.min(limit, LONGEST_PAGE),
        (name, most) ->
            seen(
                    "Listing claims",
                    () ->
                        answer(
                            tables.scan(),
                            statement -> {
                              statement.setBytes(1, name);
                              statement.setInt(2, most);
                            }))
                .rows()
                .stream()
                .map(JdbcClaimStore::kept)
                .toList());
  }

  @Override
  public ClaimWatch watch() {
    ClaimRows now = look("Watching claims");
    JdbcWatch watch =
        new JdbcWatch(
            this, memory, scheduler, settings.watchInterval(), now.version(), watches::remove);
    watches.add(watch);
    if (closed) {
      watch.close();
    } else {
      watch.begin();
    }
    return watch;
  }

  @Override
  public StoreIdentity identity() {
    return memory.identity();
  }

  @Override
  public Optional<ReasonText> uncertainty(VolumeKey volume) {
    return memory.uncertainty();
  }

  @Override
  public Optional<ReasonText> readOnly() {
    return memory.readOnly();
  }

  /** Ends its watches. The data source is the host's, and stays open. */
  @Override
  public void close() {
    closed = true;
    watches.forEach(JdbcWatch::close);
    database.close();
  }
}
