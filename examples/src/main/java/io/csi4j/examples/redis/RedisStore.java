package io.csi4j.examples.redis;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.csi4j.examples.redis.RedisConnections.Failure;
import io.csi4j.examples.redis.RedisConnections.Fate;
import io.csi4j.volume.model.ReasonText;
import io.csi4j.volume.state.StateValue;
import io.csi4j.volume.state.seal.Sealer;
import io.csi4j.volume.store.RecordKey;
import io.csi4j.volume.store.RecordKey.Space;
import io.csi4j.volume.store.RecordStore;
import io.csi4j.volume.store.RecordStoreException;
import io.csi4j.volume.store.RecordStoreException.Reason;
import io.csi4j.volume.store.RecordWrite;
import io.csi4j.volume.store.StoreIdentity;
import io.csi4j.volume.store.StoredRecord;
import io.csi4j.volume.store.shared.PolledWatches;
import io.csi4j.volume.store.shared.RecordName;
import io.csi4j.volume.store.shared.StoreMemory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A store in one Redis server, for several machines. All writes to the store are numbered, and the
 * version of a record is the number of the write that created it.
 *
 * <p>The run of the server is part of the store's identity. A restarted Redis server may have lost
 * writes, so it counts as another store. A process that opens this store writes nothing until a
 * person has called {@link #settle}. With {@link RedisSettings#losesNothingOnRestart}, a restarted
 * server stays the same store. In this case, opening the store fails unless Redis writes to disk
 * before it confirms a write.
 */
public final class RedisStore implements RecordStore {

  /**
   * Maximum number of records in a page. A process can receive a page of this many records, even of
   * the maximum size.
   */
  private static final int LONGEST_PAGE = 256;

  private static final int TOGETHER = 8;

  private final RedisSettings settings;
  private final RedisConnections redis;
  private final List<byte[]> keys;
  private final StoreMemory memory;
  private final PolledWatches watches;

  /** The identity of the store that this process writes to. */
  private volatile Answer written;

  private RedisStore(RedisSettings settings, RedisConnections redis) {
    this.settings = settings;
    this.redis = redis;
    // All keys are in one slot, because a script can use only keys of one slot.
    this.keys =
        Stream.of(
                Stream.of("store", "log"),
                Stream.of(Space.values()).map(space -> "names:" + lower(space)),
                Stream.of(Space.values()).map(space -> "records:" + lower(space)))
            .flatMap(all -> all)
            .map(name -> bytes("{" + settings.prefix() + "}:" + name))
            .toList();
    checkConfiguration();
    written = ask(RedisScripts.MARK, List.of(bytes(UUID.randomUUID().toString())), false);
    memory =
        new StoreMemory(
            "Redis is at version",
            Optional.empty(),
            written.identity(),
            "call RedisStore.settle()",
            written.problem(),
            written.version());
    watches =
        new PolledWatches(
            "example-redis-watch", memory, settings.watchInterval(), "Redis", this::writes);
  }

  /**
   * Opens the store, and sets its mark if the store is new.
   *
   * @throws RecordStoreException if Redis cannot be reached, or is configured to lose records
   */
  public static RedisStore open(RedisSettings settings) {
    RedisConnections redis = new RedisConnections(settings.server(), settings.deadline());
    try {
      return asked("Opening the store", () -> new RedisStore(settings, redis));
    } catch (RuntimeException failed) {
      redis.close();
      throw failed;
    }
  }

  private void checkConfiguration() {
    String evicts = configured("maxmemory-policy");
    if (evicts.startsWith("allkeys-")) {
      throw refused(
          "Redis removes records when its memory is full (maxmemory-policy "
              + evicts
              + "). Set maxmemory-policy noeviction.");
    }
    String log = configured("appendonly");
    String sync = configured("appendfsync");
    if (settings.losesNothingOnRestart() && !configured("no-appendfsync-on-rewrite").equals("no")) {
      throw refused(
          "Redis does not sync its log while it rewrites it (no-appendfsync-on-rewrite yes). Set"
              + " no-appendfsync-on-rewrite no, or open the store without losesNothingOnRestart.");
    }
    if (settings.losesNothingOnRestart() && !(log.equals("yes") && sync.equals("always"))) {
      throw refused(
          "Redis loses writes when it restarts (appendonly "
              + log
              + ", appendfsync "
              + sync
              + "). Set appendonly yes and appendfsync always, or open the store without"
              + " losesNothingOnRestart.");
    }
  }

  private static RecordStoreException refused(String because) {
    return new RecordStoreException(Reason.IN_DOUBT, "Opening the store failed: " + because);
  }

  private String configured(String name) {
    List<?> pair =
        (List<?>)
            Objects.requireNonNull(redis.read(List.of(bytes("CONFIG"), bytes("GET"), bytes(name))));
    return pair.size() < 2 ? "unknown" : text(pair.get(1));
  }

  /**
   * Settles the store, so that it accepts writes again. First, a person or a program must compare
   * all claims with the mounts of the nodes, and all volumes with the storage systems.
   */
  public StoreIdentity settle() {
    String doing = "Settling the store";
    seen(doing, () -> look());
    if (memory.readOnly().isEmpty()) {
      memory.checkSettling();
    } else {
      byte[] mark = bytes(UUID.randomUUID().toString());
      Answer now = asked(doing, () -> ask(RedisScripts.SETTLE, List.of(mark), false));
      written = now;
      memory.settle(now.identity(), now.version());
    }
    return memory.identity();
  }

  @Override
  public Optional<StoredRecord> read(RecordKey key) {
    List<byte[]> arguments = List.of(number(key.space()), RecordName.bytes(key.name()));
    Answer answer = seen("Reading " + key, () -> ask(RedisScripts.READ, arguments, true));
    return record(key, answer.more().get(0));
  }

  @Override
  public int together() {
    return TOGETHER;
  }

  @Override
  public WriteResult write(List<RecordWrite> writes) {
    if (writes.isEmpty() || writes.size() > TOGETHER) {
      throw new IllegalArgumentException(
          "A write has 1 to " + TOGETHER + " records, and not " + writes.size() + ".");
    }
    String doing = "Writing " + writes.get(0).key();
    if (memory.readOnly().isPresent()) {
      // A person may have settled the store through another process.
      seen(doing, () -> look());
      memory.checkWritable(doing);
    }
    Answer store = written;
    List<byte[]> arguments = new ArrayList<>();
    arguments.add(bytes(store.mark()));
    arguments.add(bytes(settings.losesNothingOnRestart() ? "" : store.run()));
    for (RecordWrite each : writes) {
      arguments.add(number(each.key().space()));
      arguments.add(RecordName.bytes(each.key().name()));
      arguments.add(each.seen().map(RedisStore::kept).orElse(new byte[0]));
      arguments.add(each.next().map(next -> joined("+", next)).orElse(bytes("-")));
    }
    long before = memory.reached();
    Answer answer;
    try {
      answer = ask(RedisScripts.WRITE, arguments, false);
    } catch (Failure failure) {
      if (failure.fate() == Fate.UNKNOWN) {
        return new WriteResult.Unknown(new ReasonText(String.valueOf(failure.getMessage())));
      }
      throw failed(doing, failure);
    }
    memory.saw(before, answer.identity(), answer.version());
    long last = Long.parseLong(text(answer.more().get(0)));
    int size = writes.size();
    Stream<Optional<StoredRecord>> now =
        IntStream.range(0, size)
            .mapToObj(
                i -> {
                  RecordKey key = writes.get(i).key();
                  return last == 0
                      ? record(key, answer.more().get(i + 1))
                      : writes
                          .get(i)
                          .next()
                          .map(next -> new StoredRecord(key, last - size + 1 + i, next));
                });
    List<StoredRecord> records = now.flatMap(Optional::stream).toList();
    return last == 0 ? new WriteResult.Conflict(records) : new WriteResult.Written(records);
  }

  @Override
  public Page scan(Space space, Optional<RecordKey> after, int limit) {
    if (limit < 1) {
      throw new IllegalArgumentException("A page has at least one record, not " + limit + ".");
    }
    return RecordName.page(
        space,
        after,
        Math.min(limit, LONGEST_PAGE),
        (name, most) -> {
          List<byte[]> arguments = List.of(number(space), name, bytes("" + most));
          Answer answer = seen("Listing " + space, () -> ask(RedisScripts.SCAN, arguments, true));
          List<RecordName.Row> found = new ArrayList<>();
          for (int i = 0; i < answer.more().size(); i += 2) {
            Kept kept = Kept.of(answer.more().get(i + 1));
            found.add(
                new RecordName.Row(
                    (byte[]) Objects.requireNonNull(answer.more().get(i)),
                    kept.version(),
                    kept.value()));
          }
          return found;
        });
  }

  @Override
  public Watch watch(Space space) {
    return watches.begin(space, seen("Watching " + space, () -> look()).version());
  }

  /**
   * Returns the writes after a version. Each write has an entry in the log, so a missing entry
   * shows that Redis dropped writes from the log.
   */
  private PolledWatches.Writes writes(Space space, long version, int limit) {
    int most = Math.min(limit, LONGEST_PAGE);
    List<byte[]> arguments = List.of(bytes("" + version), bytes("" + most));
    Answer answer = asked("Watching " + space, () -> ask(RedisScripts.LOG, arguments, true));
    List<Watch.Change> changes = new ArrayList<>();
    long upTo = version;
    for (Object each : answer.more()) {
      List<?> entry = (List<?>) Objects.requireNonNull(each);
      long its = Long.parseLong(text(entry.get(0)).split("-", 2)[0]);
      if (its > answer.version()) {
        // The version of this entry is above the version of the store, so the entry is not a write
        // of the store.
        break;
      }
      if (its > upTo + 1) {
        return new PolledWatches.Writes(
            answer.identity(), answer.version(), its - 1, upTo, List.of());
      }
      upTo = its;
      List<?> fields = (List<?>) entry.get(1);
      if (Arrays.equals((byte[]) fields.get(1), number(space))) {
        RecordKey key = new RecordKey(space, RecordName.text((byte[]) fields.get(3)));
        changes.add(
            fields.size() > 4
                ? new Watch.Change.Written(record(key, fields.get(5)).orElseThrow())
                : new Watch.Change.Removed(key, its));
      }
    }
    long forgotten = upTo == version ? answer.version() : 0;
    return new PolledWatches.Writes(answer.identity(), answer.version(), forgotten, upTo, changes);
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

  @Override
  public void close() {
    watches.close();
    redis.close();
  }

  // ---- questions and answers

  /**
   * The answer of a script.
   *
   * @param mark the mark of the store; empty for none
   * @param home the run of the server in which the mark was created
   * @param version the number of writes to the store
   * @param run the run of the server that answered
   * @param trusts whether a restarted server counts as the same store
   * @param more the requested values
   */
  private record Answer(
      String mark,
      String home,
      long version,
      String run,
      boolean trusts,
      List<@Nullable Object> more) {

    StoreIdentity identity() {
      return new StoreIdentity(
          mark.isEmpty()
              ? "redis, without the mark of a store"
              : "redis-" + mark + (trusts ? "" : "-" + run));
    }

    Optional<ReasonText> problem() {
      if (mark.isEmpty()) {
        return Optional.of(new ReasonText("it has records, but no mark"));
      }
      return trusts || home.equals(run)
          ? Optional.empty()
          : Optional.of(
              new ReasonText(
                  "Redis was restarted, or another instance took over, after the store was"
                      + " settled, so it may have lost writes"));
    }
  }

  private Answer look() {
    return ask(RedisScripts.LOOK, List.of(), true);
  }

  private Answer ask(String script, List<byte[]> arguments, boolean isRead) {
    List<byte[]> command = new ArrayList<>();
    command.add(bytes("EVAL"));
    command.add(bytes(script));
    command.add(bytes(String.valueOf(keys.size())));
    command.addAll(keys);
    command.addAll(arguments);
    Object reply = isRead ? redis.read(command) : redis.write(command);
    List<?> parts = (List<?>) Objects.requireNonNull(reply);
    return new Answer(
        text(parts.get(0)),
        text(parts.get(1)),
        Long.parseLong(text(parts.get(2))),
        text(parts.get(3)),
        settings.losesNothingOnRestart(),
        new ArrayList<>((List<?>) parts.get(4)));
  }

  /** Sends the question, and records the identity of the store that answered. */
  private Answer seen(String doing, Supplier<Answer> question) {
    long before = memory.reached();
    Answer answer = asked(doing, question);
    if (memory.isSettledBy(answer.identity(), answer.problem())) {
      written = answer;
    }
    memory.saw(before, answer.identity(), answer.problem(), answer.version());
    return answer;
  }

  private static <T> T asked(String doing, Supplier<T> question) {
    try {
      return question.get();
    } catch (Failure failure) {
      throw failed(doing, failure);
    }
  }

  private static RecordStoreException failed(String doing, Failure failure) {
    return new RecordStoreException(
        failure.fate() == Fate.CLOSED ? Reason.CLOSED : Reason.UNAVAILABLE,
        doing
            + " failed: "
            + failure.getMessage()
            + (failure.fate() == Fate.CLOSED
                ? ". Open it again."
                : ". Check that the primary runs and is reachable."),
        failure);
  }

  // ---- bytes

  /** A record as stored in Redis: its version, a space character, and its bytes. */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  private record Kept(long version, byte[] value) {

    /** Parses a record. The version is 0 for bytes that no store has written. */
    static Kept of(@Nullable Object reply) {
      byte[] bytes = reply instanceof byte[] found ? found : new byte[0];
      int blank = 0;
      while (blank < bytes.length && bytes[blank] != ' ') {
        blank++;
      }
      try {
        return new Kept(
            Long.parseLong(new String(bytes, 0, blank, ISO_8859_1)),
            Arrays.copyOfRange(bytes, Math.min(blank + 1, bytes.length), bytes.length));
      } catch (NumberFormatException foreign) {
        return new Kept(0, bytes);
      }
    }
  }

  private static byte[] kept(StoredRecord record) {
    return joined(record.version() + " ", record.value());
  }

  private static Optional<StoredRecord> record(RecordKey key, @Nullable Object reply) {
    if (reply == null) {
      return Optional.empty();
    }
    Kept kept = Kept.of(reply);
    return Optional.of(StoredRecord.of(key, kept.version(), kept.value()));
  }

  private static byte[] joined(String begin, StateValue value) {
    byte[] first = bytes(begin);
    byte[] rest = value.bytes();
    byte[] all = Arrays.copyOf(first, first.length + rest.length);
    System.arraycopy(rest, 0, all, first.length, rest.length);
    return all;
  }

  private static byte[] number(Space space) {
    return bytes(
        switch (space) {
          case CLAIMS -> "1";
          case VOLUMES -> "2";
          case CLUSTER -> "3";
        });
  }

  private static String lower(Space space) {
    return space.name().toLowerCase(Locale.ROOT);
  }

  private static byte[] bytes(String text) {
    return text.getBytes(UTF_8);
  }

  private static String text(@Nullable Object reply) {
    return new String((byte[]) Objects.requireNonNull(reply), US_ASCII);
  }
}
