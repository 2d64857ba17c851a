package io.csi4j.conformance.store;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.csi4j.conformance.store.ToyStore.Answering;
import io.csi4j.conformance.store.ToyStore.Keeping;
import io.csi4j.conformance.store.ToyStore.Medium;
import io.csi4j.conformance.store.ToyStore.Paging;
import io.csi4j.conformance.store.ToyStore.Scanning;
import io.csi4j.conformance.store.ToyStore.Telling;
import io.csi4j.volume.model.ReasonText;
import io.csi4j.volume.state.StateValue;
import io.csi4j.volume.store.RecordKey;
import io.csi4j.volume.store.RecordKey.Space;
import io.csi4j.volume.store.RecordStore.Page;
import io.csi4j.volume.store.RecordStore.Watch;
import io.csi4j.volume.store.RecordStore.Watch.Change;
import io.csi4j.volume.store.RecordStore.WriteResult;
import io.csi4j.volume.store.RecordStoreException;
import io.csi4j.volume.store.RecordStoreException.Reason;
import io.csi4j.volume.store.RecordWrite;
import io.csi4j.volume.store.StoreIdentity;
import io.csi4j.volume.store.StoredRecord;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiFunction;
import java.util.function.BiPredicate;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.IntPredicate;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/**
 * Defects of stores: each replaces one thing that a store does, and has the name of what is wrong.
 */
final class Defects {

  private final Map<String, Consumer<ToyStore>> all = new LinkedHashMap<>();

  private Defects() {
    keeping();
    naming();
    counting();
    expecting();
    answering();
    removing();
    scanning();
    telling();
    watching();
    crowds();
    interrupts();
    living();
    together();
    sharing();
    lasting();
  }

  static Map<String, Consumer<ToyStore>> all() {
    return new Defects().all;
  }

  private void add(String name, Consumer<ToyStore> defect) {
    all.put(name, defect);
  }

  // ---- parts of a store, made from the right ones

  private static Consumer<ToyStore> kept(UnaryOperator<Keeping> wrong) {
    return store -> store.kept = wrong.apply(store.kept);
  }

  private static Consumer<ToyStore> matches(
      UnaryOperator<BiPredicate<Optional<StoredRecord>, RecordWrite>> wrong) {
    return store -> store.matches = wrong.apply(store.matches);
  }

  private static Consumer<ToyStore> conflict(UnaryOperator<Answering> wrong) {
    return store -> store.conflict = wrong.apply(store.conflict);
  }

  private static Consumer<ToyStore> answer(UnaryOperator<Answering> wrong) {
    return store -> store.answer = wrong.apply(store.answer);
  }

  private static Consumer<ToyStore> put(UnaryOperator<Consumer<StoredRecord>> wrong) {
    return store -> store.put = wrong.apply(store.put);
  }

  private static Consumer<ToyStore> tell(UnaryOperator<Telling> wrong) {
    return store -> store.tell = wrong.apply(store.tell);
  }

  private static Consumer<ToyStore> page(UnaryOperator<Paging> wrong) {
    return store -> store.page = wrong.apply(store.page);
  }

  private static WriteResult unknown(String why) {
    return new WriteResult.Unknown(new ReasonText(why));
  }

  private static StoredRecord at(StoredRecord like, long version) {
    return new StoredRecord(like.key(), version, like.value());
  }

  private static StoredRecord saying(StoredRecord like, String text) {
    return new StoredRecord(like.key(), like.version(), StateValue.of(text.getBytes(UTF_8)));
  }

  // ---- what is kept

  private static Consumer<ToyStore> keeping(UnaryOperator<byte[]> instead) {
    return kept(
        right ->
            (before, write) -> {
              StoredRecord now = right.of(before, write);
              return new StoredRecord(
                  now.key(),
                  now.version(),
                  StateValue.ofWrapped(instead.apply(now.value().bytes())));
            });
  }

  private static byte[] cut(byte[] bytes, int most) {
    return Arrays.copyOf(bytes, Math.min(bytes.length, most));
  }

  private void keeping() {
    add(
        "what was never written is there",
        store ->
            store.there =
                key ->
                    Optional.of(
                        store.medium.records.getOrDefault(
                            key, StoredRecord.of(key, 1, new byte[] {1}))));
    add(
        "reading writes",
        store -> {
          Function<RecordKey, Optional<StoredRecord>> right = store.read;
          store.read =
              key -> {
                Optional<StoredRecord> there = right.apply(key);
                store.locked(
                    () ->
                        store.medium.records.putIfAbsent(
                            key, StoredRecord.of(key, 1, new byte[] {1})));
                return there;
              };
        });
    add("bytes are kept as text", keeping(bytes -> new String(bytes, UTF_8).getBytes(UTF_8)));
    add("long values are cut", keeping(bytes -> cut(bytes, 40_000)));
    add("a seal has no room", keeping(bytes -> cut(bytes, StateValue.MAX_SIZE)));
  }

  // ---- names

  /** A store that takes one key for another. */
  private static Consumer<ToyStore> taking(UnaryOperator<RecordKey> other) {
    return store -> {
      store.there =
          key ->
              Optional.ofNullable(store.medium.records.get(other.apply(key)))
                  .map(it -> new StoredRecord(key, it.version(), it.value()));
      store.put = now -> store.medium.records.put(other.apply(now.key()), now);
      store.drop = key -> store.medium.records.remove(other.apply(key));
    };
  }

  private static Consumer<ToyStore> naming(UnaryOperator<String> other) {
    return taking(key -> new RecordKey(key.space(), other.apply(key.name())));
  }

  private void naming() {
    add("names are in lower case", naming(name -> name.toLowerCase(Locale.ROOT)));
    add("namespace and name are joined", naming(name -> name.replace('\u001f', '/')));
    add(
        "namespaces do not count",
        naming(name -> name.contains("\u001f") ? name.substring(name.indexOf('\u001f')) : name));
    add("long names are cut", naming(name -> name.substring(0, Math.min(1_000, name.length()))));
    add("names are of volumes only", naming(name -> name.contains("\u001f") ? name : "other"));
    add("all spaces are one", taking(key -> new RecordKey(Space.CLAIMS, key.name())));
    add(
        "scans show all spaces",
        store ->
            store.page =
                (space, after, limit) ->
                    store.medium.records.values().stream()
                        .filter(each -> after.isEmpty() || each.key().compareTo(after.get()) > 0)
                        .limit(limit)
                        .toList());
    add(
        "watches show all spaces",
        tell(
            right ->
                (space, change) -> {
                  for (Space each : Space.values()) {
                    right.of(each, change);
                  }
                }));
  }

  // ---- versions

  private void counting() {
    add(
        "the same bytes keep their version",
        kept(
            right ->
                (before, write) ->
                    before.filter(it -> Optional.of(it.value()).equals(write.next())).isPresent()
                        ? before.get()
                        : right.of(before, write)));
    add(
        "a value brings its old version back",
        kept(
            right -> {
              Map<StateValue, Long> known = new HashMap<>();
              return (before, write) -> {
                StoredRecord now = right.of(before, write);
                return at(now, known.computeIfAbsent(now.value(), it -> now.version()));
              };
            }));
    add(
        "versions go down",
        kept(
            right ->
                (before, write) ->
                    at(
                        right.of(before, write),
                        before.map(StoredRecord::version).orElse(1_000_000L) - 1)));
  }

  // ---- expectations

  /** A store that takes what is there also in other cases for what was seen. */
  private static Consumer<ToyStore> matchesAlso(
      BiPredicate<Optional<StoredRecord>, RecordWrite> wrong) {
    return matches(right -> (there, write) -> right.test(there, write) || wrong.test(there, write));
  }

  private static long version(Optional<StoredRecord> record) {
    return record.map(StoredRecord::version).orElse(0L);
  }

  private void expecting() {
    add("any expectation is met", matchesAlso((there, write) -> true));
    add(
        "an older version will do",
        matchesAlso(
            (there, write) -> write.seen().isPresent() && version(there) > version(write.seen())));
    add(
        "a newer version will do",
        matchesAlso((there, write) -> there.isPresent() && version(there) < version(write.seen())));
    add("nothing will do for anything", matchesAlso((there, write) -> there.isEmpty()));
    add("anything will do for nothing", matchesAlso((there, write) -> write.seen().isEmpty()));
    add(
        "the version will do",
        matchesAlso((there, write) -> version(there) == version(write.seen())));
    add(
        "the version of another key will do",
        store ->
            matchesAlso(
                    (there, write) ->
                        there.isEmpty()
                            && store.medium.records.values().stream()
                                .anyMatch(each -> each.version() == version(write.seen())))
                .accept(store));
  }

  // ---- answers

  private void answering() {
    add(
        "a conflict says that nothing is there",
        conflict(right -> (there, writes) -> new WriteResult.Conflict(List.of())));
    add("a conflict is an unknown end", conflict(right -> (there, writes) -> unknown("who knows")));
    add(
        "a conflict changes what is there",
        store ->
            store.conflict =
                (there, writes) -> {
                  there.forEach(each -> store.put.accept(saying(each, "spoilt")));
                  return new WriteResult.Conflict(there);
                });
    add(
        "a conflict spoils the next write",
        store -> {
          AtomicBoolean spoilt = new AtomicBoolean();
          store.conflict =
              (there, writes) -> {
                spoilt.set(true);
                return new WriteResult.Conflict(there);
              };
          store.answer =
              (now, writes) ->
                  spoilt.getAndSet(false) ? unknown("it was spoilt") : new WriteResult.Written(now);
        });
    add(
        "the same write is made again",
        matchesAlso(
            (there, write) ->
                there.isPresent() && there.map(StoredRecord::value).equals(write.next())));
    add(
        "a late write takes effect",
        matches(
            right -> {
              List<RecordWrite> tried = new ArrayList<>();
              return (there, write) -> {
                boolean isLate = tried.contains(write) && !write.isMade(there);
                tried.add(write);
                return isLate || right.test(there, write);
              };
            }));
  }

  // ---- removals

  private void removing() {
    add("nothing is removed", store -> store.drop = key -> {});
    add(
        "removed records are shown by scans",
        store -> {
          Map<RecordKey, StoredRecord> removed = new LinkedHashMap<>();
          Consumer<RecordKey> right = store.drop;
          store.drop =
              key -> {
                store.there.apply(key).ifPresent(it -> removed.put(key, it));
                right.accept(key);
              };
          page(rightly ->
                  (space, after, limit) -> {
                    List<StoredRecord> all = new ArrayList<>(rightly.of(space, after, limit));
                    if (after.isEmpty()) {
                      all.addAll(removed.values());
                    }
                    return all;
                  })
              .accept(store);
        });
    add(
        "a removal expects nothing",
        matchesAlso((there, write) -> write.next().isEmpty() && there.isPresent()));
    add(
        "a removal is made of what is not there",
        matchesAlso((there, write) -> write.next().isEmpty() && there.isEmpty()));
    add(
        "versions begin again after a removal",
        kept(
            right ->
                (before, write) ->
                    at(right.of(before, write), before.map(StoredRecord::version).orElse(0L) + 1)));
    add(
        "watches do not show removals",
        tell(
            right ->
                (space, change) -> {
                  if (!(change instanceof Change.Removed)) {
                    right.of(space, change);
                  }
                }));
    add(
        "a removal is shown with the version of the record",
        tell(
            right ->
                (space, change) ->
                    right.of(
                        space,
                        change instanceof Change.Removed removed
                            ? new Change.Removed(removed.key(), removed.version() - 1)
                            : change)));
  }

  // ---- scans

  private static Consumer<ToyStore> ordering(Comparator<RecordKey> order) {
    return store ->
        store.page =
            (space, after, limit) ->
                store
                    .behind(space, Optional.empty(), false)
                    .filter(each -> after.isEmpty() || order.compare(each.key(), after.get()) > 0)
                    .sorted(Comparator.comparing(StoredRecord::key, order))
                    .limit(limit)
                    .toList();
  }

  private void scanning() {
    add("scans go backwards", ordering(Comparator.<RecordKey>naturalOrder().reversed()));
    add(
        "scans are in the order of bytes",
        ordering(
            (a, b) -> Arrays.compareUnsigned(a.name().getBytes(UTF_8), b.name().getBytes(UTF_8))));
    add(
        "scans of nothing show something",
        store ->
            page(right ->
                    (space, after, limit) ->
                        store.medium.records.isEmpty() && after.isEmpty()
                            ? List.of(
                                StoredRecord.of(new RecordKey(space, "ghost"), 1, new byte[] {1}))
                            : right.of(space, after, limit))
                .accept(store));
    add(
        "pages have one more",
        page(right -> (space, after, limit) -> right.of(space, after, limit + 1)));
    add(
        "each page is said to be the last",
        store -> {
          Scanning right = store.scan;
          store.scan =
              (space, after, limit) ->
                  new Page(right.of(space, after, limit).records(), Optional.empty());
        });
    add(
        "scans begin at the key",
        store ->
            store.page =
                (space, after, limit) -> store.behind(space, after, true).limit(limit).toList());
    add(
        "scans end behind a key that is not there",
        store ->
            page(right ->
                    (space, after, limit) ->
                        after.isPresent() && !store.medium.records.containsKey(after.get())
                            ? List.of()
                            : right.of(space, after, limit))
                .accept(store));
    add(
        "scans show other versions",
        page(
            right ->
                (space, after, limit) ->
                    right.of(space, after, limit).stream()
                        .map(each -> at(each, each.version() + 7))
                        .toList()));
    add(
        "of other spaces than the claims there is one page",
        page(
            right ->
                (space, after, limit) ->
                    space != Space.CLAIMS && after.isPresent()
                        ? List.of()
                        : right.of(space, after, limit)));
    add(
        "pages are counted and not keyed",
        store -> {
          Paging right = store.page;
          AtomicInteger given = new AtomicInteger();
          store.page =
              (space, after, limit) -> {
                if (after.isEmpty() || !store.medium.records.containsKey(after.get())) {
                  given.set(0);
                }
                List<StoredRecord> page =
                    given.get() == 0
                        ? right.of(space, after, limit)
                        : store
                            .behind(space, Optional.empty(), false)
                            .skip(given.get())
                            .limit(limit)
                            .toList();
                given.addAndGet(page.size());
                return page;
              };
        });
  }

  // ---- what watches are told

  /** Whether this is one of the callers of a crowd; alone they are served as they should be. */
  private static boolean isInACrowd() {
    return Thread.currentThread().getName().equals("csi4j-volume-store-check");
  }

  private static Consumer<ToyStore> tellOnly(IntPredicate which) {
    return tell(
        right -> {
          AtomicInteger told = new AtomicInteger();
          return (space, change) -> {
            if (which.test(told.incrementAndGet())) {
              right.of(space, change);
            }
          };
        });
  }

  private void telling() {
    add("watches lose each tenth write", tellOnly(told -> told % 10 != 0));
    add(
        "watches are told twice",
        tell(
            right ->
                (space, change) -> {
                  right.of(space, change);
                  right.of(space, change);
                }));
    add(
        "watches are told of conflicts",
        store ->
            store.conflict =
                (there, writes) -> {
                  there.forEach(
                      each -> store.tell.of(each.key().space(), new Change.Written(each)));
                  return new WriteResult.Conflict(there);
                });
    add(
        "watches are told another version",
        tell(
            right ->
                (space, change) ->
                    right.of(
                        space,
                        change instanceof Change.Written written
                            ? new Change.Written(at(written.now(), written.now().version() + 1))
                            : change)));
    add("watches lose a burst in silence", tellOnly(told -> told < 150 || told == 300));
    add(
        "watches are told of a crowd in another order",
        tell(
            right -> {
              AtomicReference<Change> held = new AtomicReference<>();
              return (space, change) -> {
                if (!isInACrowd()) {
                  right.of(space, change);
                } else if (!held.compareAndSet(null, change)) {
                  right.of(space, change);
                  right.of(space, held.getAndSet(null));
                }
              };
            }));
  }

  // ---- watches

  private interface Next {
    Optional<Change> within(Duration wait) throws InterruptedException;
  }

  private record ToyWatch(Next next, Runnable closing) implements Watch {
    @Override
    public Optional<Change> next(Duration wait) throws InterruptedException {
      return next.within(wait);
    }

    @Override
    public void close() {
      closing.run();
    }
  }

  /** Takes what a watch has at once. */
  private static List<Change> taken(Watch watch) {
    List<Change> taken = new ArrayList<>();
    try {
      for (Optional<Change> next = watch.next(Duration.ZERO);
          next.isPresent();
          next = watch.next(Duration.ZERO)) {
        taken.add(next.get());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return taken;
  }

  private static RecordKey keyOf(Change change) {
    if (change instanceof Change.Written written) {
      return written.now().key();
    }
    return ((Change.Removed) change).key();
  }

  /** A store whose watches are made from right ones. */
  private static Consumer<ToyStore> watch(BiFunction<ToyStore, Watch, Watch> wrong) {
    return store -> store.watch = space -> wrong.apply(store, store.feed.watch(space));
  }

  private void watching() {
    add(
        "watches begin with what is there",
        watch(
            (store, right) -> {
              store.locked(
                  () ->
                      store
                          .medium
                          .records
                          .values()
                          .forEach(
                              each ->
                                  store.feed.tell(each.key().space(), new Change.Written(each))));
              return right;
            }));
    add(
        "only the first watch is told",
        store -> {
          AtomicBoolean given = new AtomicBoolean();
          store.watch = space -> (given.getAndSet(true) ? new ToyFeed() : store.feed).watch(space);
        });
    add(
        "a closed watch keeps who comes waiting",
        watch(
            (store, right) -> {
              AtomicBoolean over = new AtomicBoolean();
              return new ToyWatch(
                  wait -> {
                    if (over.get()) {
                      new ToyFeed().watch(Space.CLAIMS).next(wait);
                    }
                    return right.next(wait);
                  },
                  () -> {
                    over.set(true);
                    right.close();
                  });
            }));
    add(
        "watches are told of one key before another",
        watch(
            (store, right) -> {
              Deque<Change> ahead = new ConcurrentLinkedDeque<>();
              return new ToyWatch(
                  wait -> {
                    if (ahead.isEmpty()) {
                      right.next(wait).ifPresent(ahead::add);
                      ahead.addAll(taken(right));
                    }
                    Optional<Change> next =
                        ahead.stream().min(Comparator.comparing(Defects::keyOf));
                    next.ifPresent(ahead::remove);
                    return next;
                  },
                  () -> {
                    ahead.clear();
                    right.close();
                  });
            }));
    add(
        "a closed watch shows what is left",
        watch(
            (store, right) -> {
              Deque<Change> left = new ConcurrentLinkedDeque<>();
              return new ToyWatch(
                  wait -> left.isEmpty() ? right.next(wait) : Optional.of(left.remove()),
                  () -> {
                    left.addAll(taken(right));
                    right.close();
                  });
            }));
    add(
        "closing a watch releases nobody",
        watch(
            (store, right) -> {
              AtomicBoolean over = new AtomicBoolean();
              return new ToyWatch(
                  wait -> over.get() ? Optional.empty() : right.next(wait), () -> over.set(true));
            }));
    add(
        "closing a watch ends all",
        watch((store, right) -> new ToyWatch(right::next, store.feed::close)));
    add(
        "watches take an interrupt for the end",
        watch(
            (store, right) ->
                new ToyWatch(
                    wait -> {
                      try {
                        return right.next(wait);
                      } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                        return Optional.empty();
                      }
                    },
                    right::close)));
    add(
        "an interrupt costs a change",
        watch(
            (store, right) -> {
              AtomicBoolean owes = new AtomicBoolean();
              return new ToyWatch(
                  wait -> {
                    try {
                      if (owes.getAndSet(false)) {
                        Optional<Change> lost = right.next(wait);
                        return lost.isEmpty() ? lost : right.next(Duration.ZERO);
                      }
                      return right.next(wait);
                    } catch (InterruptedException e) {
                      owes.set(true);
                      throw e;
                    }
                  },
                  right::close);
            }));
    add("watches outlive their store", store -> store.close = () -> store.closed = true);
  }

  // ---- crowds

  /** Counts the calls of a store's part; true for the first of each five in a crowd. */
  private static BooleanSupplier isEachFifthOfACrowd() {
    AtomicInteger calls = new AtomicInteger();
    return () -> calls.incrementAndGet() % 5 == 1 && isInACrowd();
  }

  /** Callers of a crowd read such keys as they were before the last write. */
  private static Consumer<ToyStore> readBehind(Predicate<RecordKey> keys) {
    return store -> {
      Map<RecordKey, Optional<StoredRecord>> before = new ConcurrentHashMap<>();
      Function<RecordKey, Optional<StoredRecord>> right = store.read;
      put(rightly ->
              now -> {
                before.put(now.key(), store.there.apply(now.key()));
                rightly.accept(now);
              })
          .accept(store);
      store.read =
          key -> {
            Optional<StoredRecord> there = right.apply(key);
            return isInACrowd() && keys.test(key) ? before.getOrDefault(key, there) : there;
          };
    };
  }

  private void crowds() {
    add(
        "who looked before the last write of a crowd may write over it",
        store -> {
          Map<RecordKey, Optional<StoredRecord>> before = new HashMap<>();
          put(right ->
                  now -> {
                    before.put(now.key(), store.there.apply(now.key()));
                    right.accept(now);
                  })
              .accept(store);
          matchesAlso(
                  (there, write) -> isInACrowd() && write.seen().equals(before.get(write.key())))
              .accept(store);
        });
    add("reads in a crowd show what was", readBehind(key -> key.name().endsWith("db")));
    add(
        "claims in a crowd are behind volumes",
        readBehind(key -> key.space() == Space.CLAIMS && key.name().endsWith("db")));
    add(
        "some writes of a crowd are conflicts for nothing",
        matches(
            right -> {
              BooleanSupplier fails = isEachFifthOfACrowd();
              return (there, write) -> !fails.getAsBoolean() && right.test(there, write);
            }));
    add(
        "some writes of a crowd are lost",
        put(
            right -> {
              BooleanSupplier fails = isEachFifthOfACrowd();
              return now -> {
                if (!fails.getAsBoolean()) {
                  right.accept(now);
                }
              };
            }));
    add(
        "some writes of a crowd have no known end",
        answer(
            right -> {
              BooleanSupplier fails = isEachFifthOfACrowd();
              return (now, writes) ->
                  fails.getAsBoolean() ? unknown("it was too loud") : right.of(now, writes);
            }));
  }

  // ---- interrupts

  private static void swallowInterrupt() {
    if (Thread.interrupted()) {
      Thread.onSpinWait();
    }
  }

  private void interrupts() {
    add(
        "reading swallows interrupts",
        store -> {
          Function<RecordKey, Optional<StoredRecord>> right = store.read;
          store.read =
              key -> {
                swallowInterrupt();
                return right.apply(key);
              };
        });
    add(
        "scanning swallows interrupts",
        store -> {
          Scanning right = store.scan;
          store.scan =
              (space, after, limit) -> {
                swallowInterrupt();
                return right.of(space, after, limit);
              };
        });
    add(
        "writing swallows interrupts",
        answer(
            right ->
                (now, writes) -> {
                  swallowInterrupt();
                  return right.of(now, writes);
                }));
    add(
        "an interrupt ends the store",
        store -> {
          AtomicBoolean broken = new AtomicBoolean();
          Runnable right = store.checkOpen;
          store.checkOpen =
              () -> {
                right.run();
                if (Thread.currentThread().isInterrupted()) {
                  broken.set(true);
                }
                if (broken.get()) {
                  throw new RecordStoreException(
                      Reason.UNAVAILABLE, "The channel is closed. Open the store again.");
                }
              };
        });
    add(
        "an interrupted write is refused and made",
        answer(
            right ->
                (now, writes) -> {
                  if (Thread.currentThread().isInterrupted()) {
                    throw new RecordStoreException(Reason.UNAVAILABLE, "Interrupted. Try again.");
                  }
                  return right.of(now, writes);
                }));
    add(
        "an interrupted write is said to be made",
        put(
            right ->
                now -> {
                  if (!Thread.currentThread().isInterrupted()) {
                    right.accept(now);
                  }
                }));
    add(
        "an interrupted write is a conflict",
        matches(
            right ->
                (there, write) ->
                    right.test(there, write) && !Thread.currentThread().isInterrupted()));
  }

  // ---- identity and closing

  private static StoreIdentity newIdentity() {
    return new StoreIdentity("toy-" + UUID.randomUUID());
  }

  /** A store that fails like that once it is closed. */
  private static Consumer<ToyStore> closed(Supplier<RuntimeException> failure) {
    return store ->
        store.checkOpen =
            () -> {
              if (store.closed) {
                throw failure.get();
              }
            };
  }

  private void living() {
    add("the identity is another one each time", store -> store.identity = Defects::newIdentity);
    add("all stores have one identity", store -> store.identity = () -> new StoreIdentity("toy"));
    add(
        "a store that is well is in doubt",
        store -> store.uncertainty = key -> Optional.of(new ReasonText("who knows")));
    add(
        "closing twice fails",
        store -> {
          Runnable right = store.close;
          AtomicInteger closings = new AtomicInteger();
          store.close =
              () -> {
                if (closings.incrementAndGet() == 2) {
                  throw new IllegalStateException("closed already");
                }
                right.run();
              };
        });
    add(
        "a closed store refuses as one that is down",
        closed(() -> new RecordStoreException(Reason.UNAVAILABLE, "It is gone. Wait.")));
    add("a closed store goes on", store -> store.checkOpen = () -> {});
    add(
        "a closed store fails in any way",
        closed(() -> new IllegalStateException("no connection")));
  }

  // ---- several at once

  private void together() {
    add("what can be written of several is written", store -> store.inParts = true);
    add(
        "the answer has the first of several only",
        answer(
            right -> (now, writes) -> right.of(now.subList(0, Math.min(1, now.size())), writes)));
    add(
        "the answer is in another order",
        answer(
            right ->
                (now, writes) -> {
                  List<StoredRecord> other = new ArrayList<>(now);
                  Collections.reverse(other);
                  return right.of(other, writes);
                }));
  }

  // ---- other clients

  private void sharing() {
    add(
        "each client remembers what it has read",
        store -> {
          Map<RecordKey, Optional<StoredRecord>> known = new ConcurrentHashMap<>();
          Function<RecordKey, Optional<StoredRecord>> right = store.read;
          store.read =
              key -> {
                store.checkOpen.run();
                return known.computeIfAbsent(key, right);
              };
          remembering(known).accept(store);
        });
    add(
        "each client tells conflicts from what it knows",
        store -> {
          Map<RecordKey, Optional<StoredRecord>> known = new HashMap<>();
          remembering(known).accept(store);
          store.conflict =
              (there, writes) ->
                  new WriteResult.Conflict(
                      there.stream()
                          .flatMap(
                              each -> known.getOrDefault(each.key(), Optional.of(each)).stream())
                          .toList());
        });
    add(
        "each client is a store of its own",
        store -> {
          if (store.medium.clients.get(0) != store) {
            store.medium.clients.remove(store);
            store.medium = new Medium();
            store.medium.clients.add(store);
          }
        });
    add(
        "each client has a name of its own",
        store -> {
          StoreIdentity own = newIdentity();
          store.identity = () -> own;
        });
    add("watches are told of their own client only", store -> store.tell = store.feed::tell);
    add(
        "closing one client closes all",
        store ->
            store.close =
                () ->
                    store.medium.clients.forEach(
                        client -> {
                          client.closed = true;
                          client.feed.close();
                        }));
  }

  /** A store that notes its writes. */
  private static Consumer<ToyStore> remembering(Map<RecordKey, Optional<StoredRecord>> known) {
    return store -> {
      Consumer<StoredRecord> put = store.put;
      store.put =
          now -> {
            known.put(now.key(), Optional.of(now));
            put.accept(now);
          };
      Consumer<RecordKey> drop = store.drop;
      store.drop =
          key -> {
            known.put(key, Optional.empty());
            drop.accept(key);
          };
    };
  }

  // ---- opening again

  /** A store that does this to what it has when it is opened again. */
  private static Consumer<ToyStore> again(Consumer<Medium> change) {
    return store -> {
      if (store.openedAgain) {
        change.accept(store.medium);
      }
    };
  }

  private void lasting() {
    add("closing forgets everything", again(medium -> medium.records.clear()));
    add(
        "closing forgets the highest key",
        again(
            medium -> {
              if (medium.records.size() > 1) {
                medium.records.pollLastEntry();
              }
            }));
    add(
        "closing changes the versions",
        again(
            medium -> medium.records.replaceAll((key, each) -> at(each, each.version() + 1_000))));
    add("versions begin again when a store is opened again", again(medium -> medium.version = 0));
    add(
        "versions begin behind the highest record when a store is opened again",
        again(
            medium ->
                medium.version =
                    medium.records.values().stream()
                        .mapToLong(StoredRecord::version)
                        .max()
                        .orElse(0)));
    add(
        "the name is another one when a store is opened again",
        store -> {
          if (store.openedAgain) {
            store.identity = () -> new StoreIdentity(store.medium.identity + "-again");
          }
        });
    add(
        "any expectation is met when a store is opened again",
        store -> matchesAlso((there, write) -> store.openedAgain).accept(store));
  }
}
