package io.csi4j.conformance.claims;

import io.csi4j.client.model.NodeId;
import io.csi4j.client.model.PublishContext;
import io.csi4j.conformance.claims.ToyStore.Keeping;
import io.csi4j.conformance.claims.ToyStore.Match;
import io.csi4j.conformance.claims.ToyStore.Medium;
import io.csi4j.conformance.claims.ToyStore.Paging;
import io.csi4j.conformance.claims.ToyStore.Scanning;
import io.csi4j.conformance.claims.ToyStore.Writing;
import io.csi4j.volume.claim.Claim;
import io.csi4j.volume.claim.ClaimHolder;
import io.csi4j.volume.claim.NodeAttachment;
import io.csi4j.volume.claim.spi.ClaimPage;
import io.csi4j.volume.store.RecordStoreException;
import io.csi4j.volume.store.RecordStoreException.Reason;
import io.csi4j.volume.claim.spi.ClaimVersion;
import io.csi4j.volume.claim.spi.ClaimWatch;
import io.csi4j.volume.claim.spi.ClaimWatch.Change;
import io.csi4j.volume.store.StoreIdentity;
import io.csi4j.volume.claim.spi.Versioned;
import io.csi4j.volume.claim.spi.WriteResult;
import io.csi4j.volume.claim.spi.WriteToken;
import io.csi4j.volume.model.Namespace;
import io.csi4j.volume.model.ReasonText;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.WorkloadId;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiFunction;
import java.util.function.BiPredicate;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.IntPredicate;
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
    scanning();
    telling();
    watching();
    crowds();
    interrupts();
    living();
    sharing();
    lasting();
    replacing();
    damage();
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

  private static Consumer<ToyStore> matches(UnaryOperator<Match> wrong) {
    return store -> store.matches = wrong.apply(store.matches);
  }

  private static Consumer<ToyStore> conflict(UnaryOperator<Writing> wrong) {
    return store -> store.conflict = wrong.apply(store.conflict);
  }

  private static Consumer<ToyStore> answer(UnaryOperator<Function<Versioned, WriteResult>> wrong) {
    return store -> store.answer = wrong.apply(store.answer);
  }

  private static Consumer<ToyStore> put(UnaryOperator<Consumer<Versioned>> wrong) {
    return store -> store.put = wrong.apply(store.put);
  }

  private static Consumer<ToyStore> tell(UnaryOperator<Consumer<Versioned>> wrong) {
    return store -> store.tell = wrong.apply(store.tell);
  }

  private static Consumer<ToyStore> page(UnaryOperator<Paging> wrong) {
    return store -> store.page = wrong.apply(store.page);
  }

  private static WriteResult unknown(String why) {
    return new WriteResult.Unknown(new ReasonText(why));
  }

  private static Versioned marked(Versioned now, WriteToken token) {
    return new Versioned(now.claim(), now.version(), Optional.of(token));
  }

  // ---- what is kept

  private static Consumer<ToyStore> keeping(UnaryOperator<Claim> instead) {
    return kept(right -> (before, next, token) -> right.of(before, instead.apply(next), token));
  }

  private static Claim held(Claim claim, SortedMap<WorkloadId, ClaimHolder> holders) {
    return new Claim(claim.volume(), claim.use(), holders, claim.epoch(), claim.exhaustedUntil());
  }

  private static Claim holders(Claim claim, UnaryOperator<ClaimHolder> instead) {
    SortedMap<WorkloadId, ClaimHolder> holders = new TreeMap<>();
    claim.holders().values().forEach(each -> holders.put(each.workload(), instead.apply(each)));
    return held(claim, holders);
  }

  private static ClaimHolder holder(
      ClaimHolder like, Optional<NodeId> node, NodeAttachment attachment) {
    return new ClaimHolder(
        like.workload(),
        like.node(),
        node,
        like.mode(),
        like.state(),
        like.epoch(),
        like.since(),
        attachment);
  }

  private static Claim context(Claim claim, Consumer<Map<String, String>> change) {
    return holders(
        claim,
        each -> {
          if (!(each.attachment() instanceof NodeAttachment.Attached attached)) {
            return each;
          }
          Map<String, String> entries = new LinkedHashMap<>(attached.context().reveal());
          change.accept(entries);
          return holder(
              each, each.nodeId(), new NodeAttachment.Attached(PublishContext.of(entries)));
        });
  }

  private static Claim cut(Claim claim, int most) {
    return context(
        claim,
        entries ->
            entries.replaceAll((key, text) -> text.substring(0, Math.min(text.length(), most))));
  }

  private void keeping() {
    add(
        "what was never written has an epoch",
        store -> {
          Function<VolumeKey, Versioned> right = store.there;
          store.there =
              volume -> {
                Versioned there = right.apply(volume);
                return there.by().isPresent()
                    ? there
                    : new Versioned(
                        new Claim(
                            volume, Optional.empty(), there.claim().holders(), 1, Optional.empty()),
                        ClaimVersion.NEVER,
                        Optional.empty());
              };
        });
    add(
        "reading writes",
        store -> {
          Function<VolumeKey, Versioned> right = store.read;
          store.read =
              volume -> {
                Versioned there = right.apply(volume);
                store.locked(() -> store.medium.claims.putIfAbsent(volume, there));
                return there;
              };
        });
    add(
        "times lose their nanoseconds",
        keeping(
            claim ->
                claim.exhausted(
                    claim.exhaustedUntil().map(time -> time.truncatedTo(ChronoUnit.SECONDS)))));
    add("the exhaustion is lost", keeping(claim -> claim.exhausted(Optional.empty())));
    add(
        "entries without a name are lost",
        keeping(claim -> context(claim, entries -> entries.remove(""))));
    add(
        "the epoch is lost with the last holder",
        keeping(
            claim ->
                claim.holders().isEmpty()
                    ? Claim.none(claim.volume()).exhausted(claim.exhaustedUntil())
                    : claim));
    add(
        "holders lose the id of their node",
        keeping(
            claim -> holders(claim, each -> holder(each, Optional.empty(), each.attachment()))));
    add("long texts are cut", keeping(claim -> cut(claim, 40_000)));
    add("very long texts are cut", keeping(claim -> cut(claim, 1_000_000)));
    add(
        "there is room for 64 holders",
        keeping(
            claim -> {
              SortedMap<WorkloadId, ClaimHolder> few = new TreeMap<>(claim.holders());
              while (few.size() > 64) {
                few.remove(few.lastKey());
              }
              return held(claim, few);
            }));
  }

  // ---- names

  /** A store that takes one name for another. */
  private static Consumer<ToyStore> taking(UnaryOperator<VolumeKey> other) {
    return store -> {
      store.there =
          volume -> store.medium.claims.getOrDefault(other.apply(volume), ToyStore.never(volume));
      store.put = now -> store.medium.claims.put(other.apply(now.claim().volume()), now);
    };
  }

  private void naming() {
    add(
        "names are in lower case",
        taking(
            key ->
                VolumeKey.of(
                    Namespace.of(key.namespace().value().toLowerCase(Locale.ROOT)),
                    key.id().toLowerCase(Locale.ROOT))));
    add(
        "namespace and name are joined",
        taking(
            key -> {
              String joined = key.namespace() + "/" + key.id();
              return VolumeKey.of(
                  Namespace.of("/"), joined.length() > 1024 ? "hash" + joined.hashCode() : joined);
            }));
    add("namespaces do not count", taking(key -> VolumeKey.of(key.id())));
    add(
        "long names are cut",
        taking(
            key ->
                VolumeKey.of(
                    key.namespace(), key.id().substring(0, Math.min(1_000, key.id().length())))));
  }

  // ---- versions

  private void counting() {
    add(
        "the same claim keeps its version",
        kept(
            right ->
                (before, next, token) ->
                    before.claim().equals(next) && before.by().isPresent()
                        ? marked(before, token)
                        : right.of(before, next, token)));
    add(
        "a claim brings its old version back",
        kept(
            right -> {
              Map<Claim, ClaimVersion> known = new HashMap<>();
              return (before, next, token) -> {
                Versioned now = right.of(before, next, token);
                ClaimVersion version = known.computeIfAbsent(next, claim -> now.version());
                return new Versioned(next, version, Optional.of(token));
              };
            }));
    add(
        "what nobody holds is deleted",
        store ->
            store.put =
                now -> {
                  if (now.claim().holders().isEmpty()) {
                    store.medium.claims.remove(now.claim().volume());
                  } else {
                    store.medium.claims.put(now.claim().volume(), now);
                  }
                });
    add(
        "versions go down",
        kept(
            right ->
                (before, next, token) -> {
                  long version = before.by().isEmpty() ? 1_000_000 : before.version().value() - 1;
                  return new Versioned(next, new ClaimVersion(version), Optional.of(token));
                }));
  }

  // ---- expectations

  /** A store that takes what is there also in other cases for what was expected. */
  private static Consumer<ToyStore> matchesAlso(BiPredicate<Versioned, ClaimVersion> wrong) {
    return matches(
        right ->
            (there, expected, token) ->
                right.of(there, expected, token) || wrong.test(there, expected));
  }

  private void expecting() {
    add("any expectation is met", matchesAlso((there, expected) -> true));
    add(
        "an older version will do",
        matchesAlso(
            (there, expected) -> expected.value() > 0 && there.version().compareTo(expected) > 0));
    add(
        "a newer version will do",
        matchesAlso(
            (there, expected) ->
                there.by().isPresent() && there.version().compareTo(expected) < 0));
    add("nothing will do for anything", matchesAlso((there, expected) -> there.by().isEmpty()));
    add("anything will do for nothing", matchesAlso((there, expected) -> expected.value() == 0));
    add(
        "the version of another key will do",
        store ->
            matchesAlso(
                    (there, expected) ->
                        there.by().isEmpty()
                            && store.medium.claims.values().stream()
                                .anyMatch(each -> each.version().equals(expected)))
                .accept(store));
  }

  // ---- answers

  private void answering() {
    add(
        "a conflict says that nothing is there",
        conflict(
            right ->
                (there, next, token) ->
                    new WriteResult.Conflict(ToyStore.never(there.claim().volume()))));
    add(
        "a conflict is an unknown end",
        conflict(right -> (there, next, token) -> unknown("who knows")));
    add(
        "a conflict leaves its mark",
        store ->
            store.conflict =
                (there, next, token) -> {
                  if (there.by().isPresent()) {
                    store.put.accept(marked(there, token));
                  }
                  return new WriteResult.Conflict(there);
                });
    add(
        "a conflict spoils the next write",
        store -> {
          AtomicBoolean spoilt = new AtomicBoolean();
          store.conflict =
              (there, next, token) -> {
                spoilt.set(true);
                return new WriteResult.Conflict(there);
              };
          store.answer =
              now ->
                  spoilt.getAndSet(false) ? unknown("it was spoilt") : new WriteResult.Written(now);
        });
    add(
        "marks are made up",
        kept(
            right ->
                (before, next, token) ->
                    right.of(before, next, new WriteToken(UUID.randomUUID()))));
    add(
        "the first mark stays",
        kept(right -> (before, next, token) -> right.of(before, next, before.by().orElse(token))));
    add(
        "the same try is made again",
        matches(
            right ->
                (there, expected, token) ->
                    right.of(there, expected, token) || there.by().equals(Optional.of(token))));
    add(
        "a late try takes effect",
        matches(
            right -> {
              List<WriteToken> tried = new ArrayList<>();
              return (there, expected, token) -> {
                boolean isLate = tried.contains(token) && !there.by().equals(Optional.of(token));
                tried.add(token);
                return isLate || right.of(there, expected, token);
              };
            }));
    add(
        "what is too large is no typed refusal",
        kept(
            right ->
                (before, next, token) -> {
                  if (!cut(next, 100_000).equals(next)) {
                    throw new IllegalStateException("buffer overflow");
                  }
                  return right.of(before, next, token);
                }));
    add(
        "what is refused as too large is written",
        answer(
            right ->
                now -> {
                  if (!cut(now.claim(), 100_000).equals(now.claim())) {
                    throw new RecordStoreException(Reason.TOO_LARGE, "Too large. Make it smaller.");
                  }
                  return right.apply(now);
                }));
  }

  // ---- scans

  private static Consumer<ToyStore> ordering(Comparator<VolumeKey> order) {
    return store ->
        store.page =
            (after, limit) ->
                store.medium.claims.values().stream()
                    .filter(
                        each ->
                            after.isEmpty()
                                || order.compare(each.claim().volume(), after.get()) > 0)
                    .sorted(Comparator.comparing(each -> each.claim().volume(), order))
                    .limit(limit)
                    .toList();
  }

  private void scanning() {
    add("scans go backwards", ordering(Comparator.<VolumeKey>naturalOrder().reversed()));
    add(
        "scans are in the order of bytes",
        ordering(
            (a, b) ->
                Arrays.compareUnsigned(
                    (a.namespace() + "\0" + a.id()).getBytes(StandardCharsets.UTF_8),
                    (b.namespace() + "\0" + b.id()).getBytes(StandardCharsets.UTF_8))));
    add(
        "scans of nothing show something",
        store ->
            page(right ->
                    (after, limit) ->
                        store.medium.claims.isEmpty()
                            ? List.of(ToyStore.never(VolumeKey.of("ghost")))
                            : right.of(after, limit))
                .accept(store));
    add(
        "scans hide what nobody holds",
        store ->
            store.page =
                (after, limit) ->
                    store
                        .behind(after, false)
                        .filter(each -> !each.claim().holders().isEmpty())
                        .limit(limit)
                        .toList());
    add("pages have one more", page(right -> (after, limit) -> right.of(after, limit + 1)));
    add(
        "each page is said to be the last",
        store -> {
          Scanning right = store.scan;
          store.scan =
              (after, limit) -> {
                ClaimPage page = right.of(after, limit);
                return new ClaimPage(page.claims(), page.unreadable(), Optional.empty());
              };
        });
    add(
        "scans begin at the key",
        store -> store.page = (after, limit) -> store.behind(after, true).limit(limit).toList());
    add(
        "scans end behind a key that is not there",
        store ->
            page(right ->
                    (after, limit) ->
                        after.isPresent() && !store.medium.claims.containsKey(after.get())
                            ? List.of()
                            : right.of(after, limit))
                .accept(store));
    add(
        "scans show marks that nobody set",
        page(
            right ->
                (after, limit) ->
                    right.of(after, limit).stream()
                        .map(each -> marked(each, new WriteToken(new UUID(0, 0))))
                        .toList()));
    add(
        "pages are counted and not keyed",
        store -> {
          Paging right = store.page;
          AtomicInteger given = new AtomicInteger();
          store.page =
              (after, limit) -> {
                if (after.isEmpty() || !store.medium.claims.containsKey(after.get())) {
                  given.set(0);
                }
                List<Versioned> page =
                    given.get() == 0
                        ? right.of(after, limit)
                        : store.medium.claims.values().stream()
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
    return Thread.currentThread().getName().equals("csi4j-volume-claim-check");
  }

  private static Consumer<ToyStore> tellOnly(IntPredicate which) {
    return tell(
        right -> {
          AtomicInteger told = new AtomicInteger();
          return now -> {
            if (which.test(told.incrementAndGet())) {
              right.accept(now);
            }
          };
        });
  }

  private void telling() {
    add("watches lose each tenth write", tellOnly(told -> told % 10 != 0));
    add("watches are told twice", tell(right -> right.andThen(right)));
    add(
        "watches are told of conflicts",
        store ->
            store.conflict =
                (there, next, token) -> {
                  store.tell.accept(store.kept.of(there, next, token));
                  return new WriteResult.Conflict(there);
                });
    add(
        "watches are told another version",
        tell(
            right ->
                now ->
                    right.accept(
                        new Versioned(
                            now.claim(), new ClaimVersion(now.version().value() + 1), now.by()))));
    add("watches lose a burst in silence", tellOnly(told -> told < 150 || told == 300));
    add(
        "watches are told of a crowd in another order",
        tell(
            right -> {
              AtomicReference<Versioned> held = new AtomicReference<>();
              return now -> {
                if (!isInACrowd()) {
                  right.accept(now);
                } else if (!held.compareAndSet(null, now)) {
                  right.accept(now);
                  right.accept(held.getAndSet(null));
                }
              };
            }));
  }

  // ---- watches

  private interface Next {
    Optional<Change> within(Duration wait) throws InterruptedException;
  }

  private record ToyWatch(Next next, Runnable closing) implements ClaimWatch {
    @Override
    public Optional<Change> next(Duration wait) throws InterruptedException {
      return next.within(wait);
    }

    @Override
    public void close() {
      closing.run();
    }
  }

  /** A store whose watches are made from right ones. */
  private static Consumer<ToyStore> watch(BiFunction<ToyStore, ClaimWatch, ClaimWatch> wrong) {
    return store -> store.watch = () -> wrong.apply(store, store.feed.watch());
  }

  private void watching() {
    add(
        "watches begin with what is there",
        watch(
            (store, right) -> {
              store.locked(() -> store.medium.claims.values().forEach(store.feed::tell));
              return right;
            }));
    add(
        "only the first watch is told",
        store -> {
          AtomicBoolean given = new AtomicBoolean();
          store.watch = () -> (given.getAndSet(true) ? new ToyFeed() : store.feed).watch();
        });
    add(
        "a closed watch keeps who comes waiting",
        watch(
            (store, right) -> {
              AtomicBoolean over = new AtomicBoolean();
              return new ToyWatch(
                  wait -> {
                    if (over.get()) {
                      new ToyFeed().watch().next(wait);
                    }
                    return right.next(wait);
                  },
                  () -> {
                    over.set(true);
                    right.close();
                  });
            }));
    add(
        "closing a watch lets nobody go",
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

  private void crowds() {
    add(
        "who looked before the last write of a crowd may write over it",
        matchesAlso(
            (there, expected) -> isInACrowd() && there.version().value() - 1 == expected.value()));
    add(
        "reads in a crowd show what was",
        store -> {
          Map<VolumeKey, Versioned> before = new ConcurrentHashMap<>();
          Function<VolumeKey, Versioned> right = store.read;
          put(rightly ->
                  now -> {
                    VolumeKey volume = now.claim().volume();
                    before.put(volume, store.there.apply(volume));
                    rightly.accept(now);
                  })
              .accept(store);
          store.read =
              volume -> {
                Versioned there = right.apply(volume);
                return isInACrowd() && volume.id().equals("db")
                    ? before.getOrDefault(volume, there)
                    : there;
              };
        });
    add(
        "some writes of a crowd are conflicts for nothing",
        matches(
            right -> {
              BooleanSupplier fails = isEachFifthOfACrowd();
              return (there, expected, token) ->
                  !fails.getAsBoolean() && right.of(there, expected, token);
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
              return now -> fails.getAsBoolean() ? unknown("it was too loud") : right.apply(now);
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
          Function<VolumeKey, Versioned> right = store.read;
          store.read =
              volume -> {
                swallowInterrupt();
                return right.apply(volume);
              };
        });
    add(
        "scanning swallows interrupts",
        store -> {
          Scanning right = store.scan;
          store.scan =
              (after, limit) -> {
                swallowInterrupt();
                return right.of(after, limit);
              };
        });
    add(
        "writing swallows interrupts",
        answer(
            right ->
                now -> {
                  swallowInterrupt();
                  return right.apply(now);
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
                now -> {
                  if (Thread.currentThread().isInterrupted()) {
                    throw new RecordStoreException(Reason.UNAVAILABLE, "Interrupted. Try again.");
                  }
                  return right.apply(now);
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
                (there, expected, token) ->
                    right.of(there, expected, token) && !Thread.currentThread().isInterrupted()));
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
        store -> store.uncertainty = volume -> Optional.of(new ReasonText("who knows")));
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

  // ---- other clients

  private void sharing() {
    add(
        "each client remembers what it has read",
        store -> {
          Map<VolumeKey, Versioned> known = new ConcurrentHashMap<>();
          Function<VolumeKey, Versioned> right = store.read;
          store.read =
              volume -> {
                store.checkOpen.run();
                return known.computeIfAbsent(volume, right);
              };
          remembering(known).accept(store);
        });
    add(
        "each client tells conflicts from what it knows",
        store -> {
          Map<VolumeKey, Versioned> known = new HashMap<>();
          remembering(known).accept(store);
          store.conflict =
              (there, next, token) ->
                  new WriteResult.Conflict(known.getOrDefault(next.volume(), there));
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
  private static Consumer<ToyStore> remembering(Map<VolumeKey, Versioned> known) {
    return put(
        right ->
            now -> {
              known.put(now.claim().volume(), now);
              right.accept(now);
            });
  }

  // ---- opening again

  /** A store that does this to what it has when it is opened again. */
  private static Consumer<ToyStore> again(Consumer<NavigableMap<VolumeKey, Versioned>> change) {
    return store -> {
      if (store.openedAgain) {
        change.accept(store.medium.claims);
      }
    };
  }

  private void lasting() {
    add("closing forgets everything", again(Map::clear));
    add(
        "closing forgets the highest key",
        again(
            claims -> {
              if (claims.size() > 1) {
                claims.pollLastEntry();
              }
            }));
    add(
        "closing forgets exhaustion",
        again(
            claims ->
                claims.replaceAll(
                    (key, each) ->
                        new Versioned(
                            each.claim().exhausted(Optional.empty()), each.version(), each.by()))));
    add(
        "closing forgets the marks",
        again(
            claims ->
                claims.replaceAll((key, each) -> marked(each, new WriteToken(new UUID(0, 0))))));
    add(
        "versions begin again when a store is opened again",
        store -> {
          AtomicLong last = new AtomicLong(store.openedAgain ? 0 : 100);
          store.kept =
              (before, next, token) ->
                  new Versioned(next, new ClaimVersion(last.incrementAndGet()), Optional.of(token));
        });
    add(
        "the name is another one when a store is opened again",
        store -> {
          if (store.openedAgain) {
            store.identity = () -> new StoreIdentity(store.medium.identity + "-again");
          }
        });
    add(
        "any expectation is met when a store is opened again",
        store -> matchesAlso((there, expected) -> store.openedAgain).accept(store));
  }

  // ---- what is replaced

  private void replacing() {
    add(
        "whatever has the version is replaced",
        store ->
            store.replace =
                (seen, next, token) -> store.compareAndSet(seen.version(), next, token));
    add(
        "nothing is replaced",
        store ->
            store.replace =
                (seen, next, token) -> new WriteResult.Conflict(store.read(next.volume())));
  }

  // ---- what cannot be read

  private void damage() {
    add("what cannot be read is taken for what it was", store -> store.readable = volume -> true);
    add("scans hide what cannot be read", store -> store.unreadable = claims -> List.of());
  }
}
