package io.csi4j.volume.claim.jdbc;

import io.csi4j.volume.claim.jdbc.Database.Fate;
import io.csi4j.volume.model.ReasonText;
import io.csi4j.volume.state.seal.Sealer;
import io.csi4j.volume.store.RecordKey;
import io.csi4j.volume.store.RecordStore;
import io.csi4j.volume.store.RecordStoreException;
import io.csi4j.volume.store.RecordWrite;
import io.csi4j.volume.store.StoreIdentity;
import io.csi4j.volume.store.StoredRecord;
import io.csi4j.volume.store.shared.PolledWatches;
import io.csi4j.volume.store.shared.RecordName;
import io.csi4j.volume.store.shared.StoreMemory;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import javax.sql.DataSource;

/**
 * A store in PostgreSQL, for several machines that already use a database. All writes to the store
 * are made one after the other, and numbered. The version of a record is the number of its last
 * write.
 *
 * <p>In addition to the records, the store has a mark, which is written when the store is first
 * opened. A process writes only to a store with the same mark, in the same tables, cluster and
 * timeline. If one of these differs, the store is a restored copy. A process that is started
 * afterwards does not write to the copy either until an operator has called {@link #settle}. Some
 * ways of restoring an older copy do not change the tables, the cluster or the timeline. In that
 * case, the operator must delete the row in the table {@code csi4j_claim_store} of the copy.
 *
 * <p>Each request uses a connection of the host's {@link DataSource} for a single statement, so the
 * host should use a connection pool. The store never closes the data source.
 *
 * <pre>{@code
 * RecordStore store = PostgresStore.open(dataSource, JdbcSettings.defaults());
 * ClaimBook book = new ClaimBook(store, Clock.systemUTC());
 * }</pre>
 *
 * @since 1.0
 */
public final class PostgresStore implements RecordStore {

  /** Maximum number of records in a page, so that a page of the largest records fits in memory. */
  private static final int LONGEST_PAGE = 256;

  /** Maximum number of records in a write. It limits the length of a statement. */
  private static final int TOGETHER = 8;

  /** Number of writes after which old entries of the log are deleted. */
  private static final int FORGETTING = 256;

  private final Database database;
  private final StoreTables tables;
  private final JdbcSettings settings;
  private final boolean isLook;
  private final StoreMemory memory;
  private final PolledWatches watches;

  /** Whether a standby that takes over has all writes, according to the setting in the store. */
  private volatile boolean losesNothing;

  /**
   * Number of writes that the primary may have made and the standbys may lack. It starts at 1,
   * because an earlier process may have left such a write. Used only if {@code losesNothing} is
   * true.
   */
  private final AtomicLong unconfirmed;

  /**
   * The value of {@link #unconfirmed} for which it is confirmed that the standbys have all writes.
   */
  private final AtomicLong confirmed = new AtomicLong();

  /**
   * Opens the store.
   *
   * @param isNew whether to create missing tables and the mark of a new store
   */
  private PostgresStore(DataSource source, JdbcSettings settings, boolean isNew) {
    this.settings = settings;
    isLook = !isNew;
    // A store that was opened only for reading never grants a claim, so no write needs to be
    // confirmed.
    unconfirmed = new AtomicLong(isNew ? 1 : 0);
    database = new Database(source, settings.deadline());
    tables = new StoreTables(settings);
    StoreRows first = begin(isNew);
    memory =
        new StoreMemory(
            "the database is at version",
            settings.identity(),
            first.identity(),
            "accept it with 'csi4j store accept' or PostgresStore.settle()",
            first.problem(),
            first.version());
    watches =
        new PolledWatches(
            "csi4j-volume-jdbc-watch",
            memory,
            settings.watchInterval(),
            "the database",
            this::writtenAfter);
  }

  /**
   * Opens the store. Creates missing tables, if the settings permit this, and the mark of a new
   * store. If the store has records but no mark, is a restored copy, or does not have the {@link
   * JdbcSettings#identity}, it is opened only for reading (see {@link #settle}).
   *
   * @throws RecordStoreException if the database cannot be reached, or refuses the request
   */
  public static PostgresStore open(DataSource source, JdbcSettings settings) {
    return new PostgresStore(source, settings, true);
  }

  /**
   * Opens the store only for reading. Creates neither tables nor the mark of a new store.
   *
   * @throws RecordStoreException as {@link #open} does, and if the tables do not exist
   */
  public static PostgresStore look(DataSource source, JdbcSettings settings) {
    return new PostgresStore(source, settings, false);
  }

  private StoreRows begin(boolean isNew) {
    try {
      if (isNew && settings.makesTables()) {
        makeTables();
      }
      if (isNew && holds(tables.hasFormerNames())) {
        database.ask(tables.formNames(), PreparedStatement::executeUpdate);
      }
      if (isNew && settings.identity().isEmpty()) {
        mark(tables.mark());
        database.ask(tables.complete(), PreparedStatement::executeUpdate);
      }
      StoreRows first = look();
      if (isNew && loseNothing(first)) {
        first = look();
      }
      losesNothing = first.losesNothing();
      return first;
    } catch (Database.Failure failure) {
      throw failure.during("Opening the store");
    }
  }

  /**
   * Records the guarantee of the settings about standbys in the store. Returns whether the store
   * has changed.
   */
  private boolean loseNothing(StoreRows now) {
    if (!settings.losesNothingOnFailover() || now.losesNothing()) {
      return false;
    }
    String expected = settings.identity().map(StoreIdentity::value).orElse(null);
    return database.ask(
        tables.loseNothing(),
        statement -> {
          statement.setString(1, expected);
          statement.setString(2, expected);
          return statement.executeUpdate() > 0;
        });
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
   * Settles the store: it accepts writes again, from all processes that were started after its
   * identity changed. Before calling this method, an operator or a program must compare all claims
   * with the mounts of the nodes, and all volumes with the storage systems. Has no effect on a
   * store that accepts writes.
   *
   * <p>If the store has no mark or is a restored copy, a new mark is written. If the store does not
   * have the {@link JdbcSettings#identity}, this process accepts the current identity. The host
   * must configure the returned identity before the next start.
   *
   * @return the new identity of the store
   * @throws RecordStoreException if the database does not answer; with {@link
   *     RecordStoreException.Reason#IN_DOUBT} if this process opened the store before its identity
   *     changed, and must be restarted first
   */
  public StoreIdentity settle() {
    String doing = "Settling the store";
    try {
      look(doing);
      if (memory.readOnly().isEmpty()) {
        memory.checkSettling();
      } else {
        mark(tables.settle());
        StoreRows now = look();
        memory.settle(now.identity(), now.version());
      }
      return memory.identity();
    } catch (Database.Failure failure) {
      throw failure.during(doing);
    }
  }

  private void makeTables() {
    if (holds(tables.areThere())) {
      return;
    }
    try {
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
    } catch (Database.Failure failure) {
      // This user may not update the tables. If their owner has not updated them yet, they accept
      // all writes except removals.
      if (!failure.isForbidden() || !holds(tables.takeWrites())) {
        throw failure;
      }
    }
  }

  private boolean holds(String question) {
    return database.ask(
        question,
        statement -> {
          try (ResultSet result = statement.executeQuery()) {
            return result.next() && result.getBoolean(1);
          }
        });
  }

  private StoreRows look() {
    return written(RecordKey.Space.CLAIMS, Long.MAX_VALUE, 1);
  }

  private StoreRows look(String doing) {
    return seen(doing, () -> look());
  }

  private PolledWatches.Writes writtenAfter(RecordKey.Space space, long version, int limit) {
    try {
      return written(space, version, limit).writes(limit);
    } catch (Database.Failure failure) {
      throw failure.during("Watching " + space);
    }
  }

  /** Returns the writes of a space after a version, in the order of their versions. */
  private StoreRows written(RecordKey.Space space, long version, int limit) {
    return answer(
        tables.written(),
        statement -> {
          statement.setLong(1, version);
          statement.setBytes(2, RowName.of(space, new byte[0]));
          statement.setBytes(3, RowName.end(space));
          statement.setInt(4, limit);
        });
  }

  /** Sets the parameters of a statement. */
  private interface Values {
    void setOn(PreparedStatement statement) throws SQLException;
  }

  private StoreRows answer(String sql, Values values) {
    return database.ask(
        sql,
        statement -> {
          values.setOn(statement);
          try (ResultSet result = statement.executeQuery()) {
            return StoreRows.of(result);
          }
        });
  }

  /**
   * Makes a request, and passes the identity and the version in the answer to the memory of the
   * store.
   */
  private StoreRows seen(String doing, Supplier<StoreRows> question) {
    long before = memory.reached();
    try {
      StoreRows answer = question.get();
      memory.saw(before, answer.identity(), answer.problem(), answer.version());
      losesNothing = answer.losesNothing();
      if (!isLook && memory.readOnly().isEmpty()) {
        // If a process without this setting has settled the store, the setting must be recorded
        // again.
        losesNothing |= loseNothing(answer);
        confirm();
      }
      return answer;
    } catch (Database.Failure failure) {
      throw failure.during(doing);
    }
  }

  /**
   * Waits until the standbys have all writes that this process has read, if they may lack some of
   * them.
   */
  private void confirm() {
    long open = unconfirmed.get();
    if (losesNothing && open > confirmed.get()) {
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

  @Override
  public Optional<StoredRecord> read(RecordKey key) {
    return read("Reading " + key, List.of(key)).stream().findFirst();
  }

  private List<StoredRecord> read(String doing, List<RecordKey> keys) {
    return seen(
            doing,
            () ->
                answer(
                    tables.read(keys.size()),
                    statement -> {
                      for (int i = 0; i < keys.size(); i++) {
                        statement.setBytes(i + 1, LongName.kept(RowName.of(keys.get(i))));
                      }
                    }))
        .rows()
        .stream()
        .map(StoreRows.Row::stored)
        .toList();
  }

  @Override
  public int together() {
    return TOGETHER;
  }

  @Override
  public WriteResult write(List<RecordWrite> writes) {
    if (writes.isEmpty() || writes.size() > TOGETHER) {
      throw new IllegalArgumentException(
          "A write has 1 to " + TOGETHER + " records, not " + writes.size() + ".");
    }
    String doing = "Writing " + writes.get(0).key();
    if (memory.readOnly().isPresent()) {
      // An operator may have settled the store in another process.
      look(doing);
      memory.checkWritable(doing);
    }
    String opened = memory.opened().value();
    OptionalLong made;
    try {
      made =
          made(
              tables.write(writes),
              statement -> {
                statement.setString(1, opened);
                setOn(statement, writes);
              });
    } catch (Database.Failure failure) {
      if (failure.fate() == Fate.UNKNOWN) {
        unconfirmed.incrementAndGet();
        return new WriteResult.Unknown(new ReasonText(failure.because()));
      }
      if (!failure.isDivision()) {
        throw failure.during(doing);
      }
      made = OptionalLong.empty();
    }
    if (made.isEmpty()) {
      return new WriteResult.Conflict(read(doing, writes.stream().map(RecordWrite::key).toList()));
    }
    memory.reached(made.getAsLong());
    forgetSometimes(made.getAsLong(), writes.size());
    return new WriteResult.Written(written(writes, made.getAsLong() - writes.size() + 1));
  }

  private static void setOn(PreparedStatement statement, List<RecordWrite> writes)
      throws SQLException {
    int at = 2;
    for (RecordWrite each : writes) {
      byte[] name = RowName.of(each.key());
      byte[] kept = LongName.kept(name);
      if (each.seen().isEmpty()) {
        statement.setBytes(at++, kept);
      }
      if (each.next().isPresent()) {
        statement.setBytes(at++, LongName.record(name, each.next().get().bytes()));
      }
      if (each.seen().isPresent()) {
        statement.setBytes(at++, kept);
        statement.setLong(at++, each.seen().get().version());
        statement.setBytes(at++, LongName.record(name, each.seen().get().value().bytes()));
        if (each.next().isEmpty()) {
          statement.setBytes(at++, LongName.removal(name));
        }
      }
    }
  }

  private static List<StoredRecord> written(List<RecordWrite> writes, long first) {
    return IntStream.range(0, writes.size())
        .boxed()
        .flatMap(
            i ->
                writes.get(i).next().stream()
                    .map(next -> new StoredRecord(writes.get(i).key(), first + i, next)))
        .toList();
  }

  private OptionalLong made(String sql, Values values) {
    return database.ask(
        sql,
        statement -> {
          values.setOn(statement);
          try (ResultSet result = statement.executeQuery()) {
            OptionalLong made =
                result.next() ? OptionalLong.of(result.getLong(1)) : OptionalLong.empty();
            Database.refuseWarned(statement);
            return made;
          }
        });
  }

  private void forgetSometimes(long version, int writes) {
    if (version % FORGETTING < writes) {
      try {
        database.ask(tables.forget(), PreparedStatement::executeUpdate);
      } catch (Database.Failure later) {
        // A later write will delete the old entries.
        return;
      }
    }
  }

  @Override
  public Page scan(RecordKey.Space space, Optional<RecordKey> after, int limit) {
    if (limit < 1) {
      throw new IllegalArgumentException("A page has at least one record, not " + limit + ".");
    }
    return RecordName.page(
        space,
        after,
        Math.min(limit, LONGEST_PAGE),
        (name, most) ->
            behind(space, RowName.of(space, name), most).stream()
                .map(StoreRows.Row::found)
                .toList());
  }

  /** Returns the rows of a space that follow a name, in the order of their complete names. */
  private List<StoreRows.Row> behind(RecordKey.Space space, byte[] name, int most) {
    List<StoreRows.Row> rows = new ArrayList<>();
    byte[] at = name;
    if (LongName.isOfGroup(name)) {
      group(space, name).stream()
          .filter(row -> Arrays.compareUnsigned(row.name(), name) > 0)
          .forEach(rows::add);
      at = LongName.end(name);
    }
    boolean isMore = true;
    while (isMore && rows.size() < most) {
      int asked = most - rows.size();
      List<StoreRows.Row> next = between(space, at, RowName.end(space), asked);
      isMore = next.size() == asked;
      for (StoreRows.Row row : next) {
        if (LongName.isOfGroup(row.name())) {
          rows.addAll(group(space, row.name()));
          at = LongName.end(row.name());
          isMore = true;
          break;
        }
        rows.add(row);
        at = row.name();
      }
    }
    return rows.subList(0, Math.min(rows.size(), most));
  }

  private List<StoreRows.Row> group(RecordKey.Space space, byte[] name) {
    return between(space, LongName.begin(name), LongName.end(name), Integer.MAX_VALUE).stream()
        .sorted((one, other) -> Arrays.compareUnsigned(one.name(), other.name()))
        .toList();
  }

  private List<StoreRows.Row> between(
      RecordKey.Space space, byte[] after, byte[] before, int limit) {
    return seen(
            "Listing " + space,
            () ->
                answer(
                    tables.scan(),
                    statement -> {
                      statement.setBytes(1, after);
                      statement.setBytes(2, before);
                      statement.setInt(3, limit);
                    }))
        .rows();
  }

  @Override
  public Watch watch(RecordKey.Space space) {
    return watches.begin(space, look("Watching " + space).version());
  }

  @Override
  public StoreIdentity identity() {
    return memory.identity();
  }

  @Override
  public Optional<ReasonText> uncertainty(RecordKey key) {
    return memory.uncertainty();
  }

  @Override
  public Optional<ReasonText> readOnly() {
    return memory.readOnly();
  }

  @Override
  public Optional<Sealer> sealer() {
    return settings.sealer();
  }

  /** Closes the watches of this store. The data source belongs to the host, and stays open. */
  @Override
  public void close() {
    watches.close();
    database.close();
  }
}
