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
 * A store in PostgreSQL, for many machines that already have a database. The version of a record is
 * the number of its last write among all writes to the store, which are made one after the other.
 *
 * <p>Next to the records, the store has a mark, written when it is first opened. Nothing is written
 * to a store with another mark, or if the same mark is in other tables, in another cluster or in
 * another timeline: the store is then a restored copy, and a process that is started afterwards
 * writes nothing either before an operator has called {@link #settle}. An operator who restores an
 * older copy in another way deletes the row of {@code csi4j_claim_store} in it.
 *
 * <p>Each request takes one connection of the host's {@link DataSource}, for one statement; so use
 * a connection pool. The store never closes the source.
 *
 * <pre>{@code
 * RecordStore store = PostgresStore.open(dataSource, JdbcSettings.defaults());
 * ClaimBook book = new ClaimBook(store, Clock.systemUTC());
 * }</pre>
 *
 * @since 1.0
 */
public final class PostgresStore implements RecordStore {

  /** Maximum records of a page; a process can hold this many of the largest records. */
  private static final int LONGEST_PAGE = 256;

  /** Maximum records of a write; the length of a statement grows with them. */
  private static final int TOGETHER = 8;

  /** Number of writes after which old writes are forgotten. */
  private static final int FORGETTING = 256;

  private final Database database;
  private final StoreTables tables;
  private final JdbcSettings settings;
  private final boolean isLook;
  private final StoreMemory memory;
  private final PolledWatches watches;

  /** Whether a standby that takes over has all writes, as recorded in the store. */
  private volatile boolean losesNothing;

  /**
   * Number of times that the primary may have had a write that no standby had. An earlier process
   * may have left such a write. Counts where the store loses nothing when a standby takes over.
   */
  private final AtomicLong unconfirmed;

  /** The value of {@link #unconfirmed} up to which the standbys were seen to have all writes. */
  private final AtomicLong confirmed = new AtomicLong();

  /**
   * Opens the store.
   *
   * @param isNew whether missing tables, and the mark of a new store, are created
   */
  private PostgresStore(DataSource source, JdbcSettings settings, boolean isNew) {
    this.settings = settings;
    isLook = !isNew;
    // A store opened only for reading grants and writes nothing.
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
   * Opens the store. Creates its tables, unless the settings say that they exist, and its mark if
   * it is new. A store that has records but no mark, is a copy, or does not have the {@link
   * JdbcSettings#identity}, is opened only for reading: see {@link #settle}.
   *
   * @throws RecordStoreException if the database cannot be reached, or refuses the request
   */
  public static PostgresStore open(DataSource source, JdbcSettings settings) {
    return new PostgresStore(source, settings, true);
  }

  /**
   * Opens the store only for reading: nothing is written, neither tables nor the mark of a new
   * store.
   *
   * @throws RecordStoreException as {@link #open}, and if there are no tables
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
   * Records in the store what the settings guarantee about standbys; returns whether that is new.
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
   * Settles the store: writes are accepted again, from all processes that have been started since
   * its identity changed. For an operator, or a program, that has compared all claims with the
   * mounts of the nodes, and all volumes with the storage systems. Has no effect on a store that
   * accepts writes.
   *
   * <p>A store without a mark gets one; a copy gets another mark. If the store does not have the
   * {@link JdbcSettings#identity}, this process accepts its current identity; configure the
   * returned identity before the next start.
   *
   * @return the identity of the store from now on
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
      // The owner may not have updated the tables yet: they accept everything except removals.
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

  /** Returns the writes of a space after a version, in their order. */
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

  /** Sets the values of a statement. */
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

  /** Makes a request, and records the identity of the store that answered. */
  private StoreRows seen(String doing, Supplier<StoreRows> question) {
    long before = memory.reached();
    try {
      StoreRows answer = question.get();
      memory.saw(before, answer.identity(), answer.problem(), answer.version());
      losesNothing = answer.losesNothing();
      if (!isLook && memory.readOnly().isEmpty()) {
        // Another process without this setting may have settled the store.
        losesNothing |= loseNothing(answer);
        confirm();
      }
      return answer;
    } catch (Database.Failure failure) {
      throw failure.during(doing);
    }
  }

  /** Waits until the standbys have all writes that were read, if they may lack some. */
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
      // An operator may have settled it through another process.
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
        // One of the next writes does this.
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

  /** Returns the first rows of a space after a name, in the order of their complete names. */
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

  /** Closes its watches. The data source belongs to the host, and stays open. */
  @Override
  public void close() {
    watches.close();
    database.close();
  }
}
