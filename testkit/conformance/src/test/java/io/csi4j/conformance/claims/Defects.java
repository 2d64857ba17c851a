package io.csi4j.conformance.claims;

import io.csi4j.client.model.PublishContext;
import io.csi4j.conformance.claims.ToyStore.Medium;
import io.csi4j.volume.claim.Claim;
import io.csi4j.volume.claim.ClaimHolder;
import io.csi4j.volume.claim.NodeAttachment;
import io.csi4j.volume.claim.spi.ClaimPage;
import io.csi4j.volume.claim.spi.ClaimStoreException;
import io.csi4j.volume.claim.spi.ClaimStoreException.Reason;
import io.csi4j.volume.claim.spi.ClaimVersion;
import io.csi4j.volume.claim.spi.Versioned;
import io.csi4j.volume.claim.spi.WriteResult;
import io.csi4j.volume.claim.spi.WriteToken;
import io.csi4j.volume.model.Namespace;
import io.csi4j.volume.model.ReasonText;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.WorkloadId;
import java.nio.charset.StandardCharsets;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/** Stores of which each does one thing wrong: in what it keeps, expects, answers and scans. */
final class Defects {

  private Defects() {}

  /** All of them, by what they do wrong. */
  static Map<String, Function<Medium, ToyStore>> all() {
    Map<String, Function<Medium, ToyStore>> all = new LinkedHashMap<>();
    keeping(all);
    naming(all);
    counting(all);
    expecting(all);
    answering(all);
    scanning(all);
    MoreDefects.addTo(all);
    return all;
  }

  // ---- what is kept

  /** A store that keeps something else than it was given. */
  private static Function<Medium, ToyStore> keeping(UnaryOperator<Claim> instead) {
    return medium ->
        new ToyStore(medium) {
          @Override
          Versioned kept(Versioned before, Claim next, WriteToken token) {
            return super.kept(before, instead.apply(next), token);
          }
        };
  }

  static Claim holders(Claim claim, UnaryOperator<ClaimHolder> instead) {
    SortedMap<WorkloadId, ClaimHolder> holders = new TreeMap<>();
    claim.holders().values().forEach(each -> holders.put(each.workload(), instead.apply(each)));
    return new Claim(claim.volume(), claim.use(), holders, claim.epoch(), claim.exhaustedUntil());
  }

  private static Claim context(Claim claim, UnaryOperator<Map<String, String>> instead) {
    return holders(
        claim,
        holder ->
            holder.attachment() instanceof NodeAttachment.Attached attached
                ? attached(holder, PublishContext.of(instead.apply(attached.context().reveal())))
                : holder);
  }

  private static ClaimHolder attached(ClaimHolder holder, PublishContext context) {
    return new ClaimHolder(
        holder.workload(),
        holder.node(),
        holder.nodeId(),
        holder.mode(),
        holder.state(),
        holder.epoch(),
        holder.since(),
        new NodeAttachment.Attached(context));
  }

  private static Claim cut(Claim claim, int characters) {
    return context(
        claim,
        entries -> {
          Map<String, String> shorter = new LinkedHashMap<>();
          entries.forEach(
              (key, value) ->
                  shorter.put(key, value.substring(0, Math.min(value.length(), characters))));
          return shorter;
        });
  }

  private static void keeping(Map<String, Function<Medium, ToyStore>> all) {
    all.put(
        "what was never written has an epoch",
        medium ->
            new ToyStore(medium) {
              @Override
              Versioned there(VolumeKey volume) {
                Versioned there = super.there(volume);
                return there.by().isPresent()
                    ? there
                    : new Versioned(
                        new Claim(
                            volume, Optional.empty(), there.claim().holders(), 1, Optional.empty()),
                        ClaimVersion.NEVER,
                        Optional.empty());
              }
            });
    all.put(
        "reading writes",
        medium ->
            new ToyStore(medium) {
              @Override
              public Versioned read(VolumeKey volume) {
                Versioned there = super.read(volume);
                medium.lock.lock();
                try {
                  medium.claims.putIfAbsent(volume, there);
                } finally {
                  medium.lock.unlock();
                }
                return there;
              }
            });
    all.put(
        "times lose their nanoseconds",
        keeping(
            claim ->
                claim.exhausted(
                    claim.exhaustedUntil().map(time -> time.truncatedTo(ChronoUnit.SECONDS)))));
    all.put("the exhaustion is lost", keeping(claim -> claim.exhausted(Optional.empty())));
    all.put(
        "entries without a name are lost",
        keeping(
            claim ->
                context(
                    claim,
                    entries -> {
                      Map<String, String> named = new HashMap<>(entries);
                      named.remove("");
                      return named;
                    })));
    all.put(
        "the epoch is lost with the last holder",
        keeping(
            claim ->
                claim.holders().isEmpty()
                    ? Claim.none(claim.volume()).exhausted(claim.exhaustedUntil())
                    : claim));
    all.put(
        "holders lose the id of their node",
        keeping(
            claim ->
                holders(
                    claim,
                    each ->
                        new ClaimHolder(
                            each.workload(),
                            each.node(),
                            Optional.empty(),
                            each.mode(),
                            each.state(),
                            each.epoch(),
                            each.since(),
                            each.attachment()))));
    all.put("long texts are cut", keeping(claim -> cut(claim, 40_000)));
    all.put("very long texts are cut", keeping(claim -> cut(claim, 1_000_000)));
    all.put(
        "there is room for 64 holders",
        keeping(
            claim -> {
              SortedMap<WorkloadId, ClaimHolder> few = new TreeMap<>(claim.holders());
              while (few.size() > 64) {
                few.remove(few.lastKey());
              }
              return new Claim(
                  claim.volume(), claim.use(), few, claim.epoch(), claim.exhaustedUntil());
            }));
  }

  // ---- names

  /** A store that takes one name for another. */
  private static Function<Medium, ToyStore> taking(UnaryOperator<VolumeKey> other) {
    return medium ->
        new ToyStore(medium) {
          @Override
          Versioned there(VolumeKey volume) {
            Versioned there = medium.claims.get(other.apply(volume));
            return there == null ? never(volume) : there;
          }

          @Override
          void put(Versioned now) {
            medium.claims.put(other.apply(now.claim().volume()), now);
          }
        };
  }

  private static void naming(Map<String, Function<Medium, ToyStore>> all) {
    all.put(
        "names are in lower case",
        taking(
            key ->
                VolumeKey.of(
                    Namespace.of(key.namespace().value().toLowerCase(Locale.ROOT)),
                    key.id().toLowerCase(Locale.ROOT))));
    all.put(
        "namespace and name are joined",
        taking(
            key -> {
              String joined = key.namespace() + "/" + key.id();
              return VolumeKey.of(
                  Namespace.of("/"), joined.length() > 1024 ? "hash" + joined.hashCode() : joined);
            }));
    all.put("namespaces do not count", taking(key -> VolumeKey.of(key.id())));
    all.put(
        "long names are cut",
        taking(
            key ->
                VolumeKey.of(
                    key.namespace(), key.id().substring(0, Math.min(1_000, key.id().length())))));
  }

  // ---- versions

  private static void counting(Map<String, Function<Medium, ToyStore>> all) {
    all.put(
        "the same claim keeps its version",
        medium ->
            new ToyStore(medium) {
              @Override
              Versioned kept(Versioned before, Claim next, WriteToken token) {
                return before.claim().equals(next) && before.by().isPresent()
                    ? new Versioned(next, before.version(), Optional.of(token))
                    : super.kept(before, next, token);
              }
            });
    all.put(
        "a claim brings its old version back",
        medium ->
            new ToyStore(medium) {
              private final Map<Claim, ClaimVersion> known = new HashMap<>();

              @Override
              Versioned kept(Versioned before, Claim next, WriteToken token) {
                ClaimVersion version =
                    known.computeIfAbsent(next, claim -> super.kept(before, next, token).version());
                return new Versioned(next, version, Optional.of(token));
              }
            });
    all.put(
        "what nobody holds is deleted",
        medium ->
            new ToyStore(medium) {
              @Override
              void put(Versioned now) {
                if (now.claim().holders().isEmpty()) {
                  medium.claims.remove(now.claim().volume());
                } else {
                  super.put(now);
                }
              }
            });
    all.put(
        "versions go down",
        medium ->
            new ToyStore(medium) {
              @Override
              Versioned kept(Versioned before, Claim next, WriteToken token) {
                long version = before.by().isEmpty() ? 1_000_000 : before.version().value() - 1;
                return new Versioned(next, new ClaimVersion(version), Optional.of(token));
              }
            });
  }

  // ---- expectations

  /** When what is there is taken for what was expected. */
  private interface Match {
    boolean of(Versioned there, ClaimVersion expected, boolean isRight);
  }

  private static Function<Medium, ToyStore> matching(Match match) {
    return medium ->
        new ToyStore(medium) {
          @Override
          boolean matches(Versioned there, ClaimVersion expected, WriteToken token) {
            return match.of(there, expected, super.matches(there, expected, token));
          }
        };
  }

  private static void expecting(Map<String, Function<Medium, ToyStore>> all) {
    all.put("any expectation is met", matching((there, expected, isRight) -> true));
    all.put(
        "an older version will do",
        matching(
            (there, expected, isRight) ->
                isRight || (expected.value() > 0 && there.version().compareTo(expected) > 0)));
    all.put(
        "a newer version will do",
        matching(
            (there, expected, isRight) ->
                isRight || (there.by().isPresent() && there.version().compareTo(expected) < 0)));
    all.put(
        "nothing will do for anything",
        matching((there, expected, isRight) -> isRight || there.by().isEmpty()));
    all.put(
        "anything will do for nothing",
        matching((there, expected, isRight) -> isRight || expected.value() == 0));
    all.put(
        "the version of another key will do",
        medium ->
            new ToyStore(medium) {
              @Override
              boolean matches(Versioned there, ClaimVersion expected, WriteToken token) {
                return super.matches(there, expected, token)
                    || (there.by().isEmpty()
                        && medium.claims.values().stream()
                            .anyMatch(each -> each.version().equals(expected)));
              }
            });
  }

  // ---- answers

  private static void answering(Map<String, Function<Medium, ToyStore>> all) {
    all.put(
        "a conflict says that nothing is there",
        medium ->
            new ToyStore(medium) {
              @Override
              WriteResult conflict(Versioned there, Claim next, WriteToken token) {
                return new WriteResult.Conflict(never(there.claim().volume()));
              }
            });
    all.put(
        "a conflict is an unknown end",
        medium ->
            new ToyStore(medium) {
              @Override
              WriteResult conflict(Versioned there, Claim next, WriteToken token) {
                return new WriteResult.Unknown(new ReasonText("who knows"));
              }
            });
    all.put(
        "a conflict leaves its mark",
        medium ->
            new ToyStore(medium) {
              @Override
              WriteResult conflict(Versioned there, Claim next, WriteToken token) {
                if (there.by().isPresent()) {
                  put(new Versioned(there.claim(), there.version(), Optional.of(token)));
                }
                return super.conflict(there, next, token);
              }
            });
    all.put(
        "a conflict spoils the next write",
        medium ->
            new ToyStore(medium) {
              private boolean spoilt;

              @Override
              WriteResult conflict(Versioned there, Claim next, WriteToken token) {
                spoilt = true;
                return super.conflict(there, next, token);
              }

              @Override
              WriteResult answer(Versioned now) {
                boolean isSpoilt = spoilt;
                spoilt = false;
                return isSpoilt
                    ? new WriteResult.Unknown(new ReasonText("it was spoilt"))
                    : super.answer(now);
              }
            });
    all.put(
        "marks are made up",
        medium ->
            new ToyStore(medium) {
              @Override
              Versioned kept(Versioned before, Claim next, WriteToken token) {
                return super.kept(before, next, new WriteToken(UUID.randomUUID()));
              }
            });
    all.put(
        "the first mark stays",
        medium ->
            new ToyStore(medium) {
              @Override
              Versioned kept(Versioned before, Claim next, WriteToken token) {
                return super.kept(before, next, before.by().orElse(token));
              }
            });
    all.put(
        "the same try is made again",
        medium ->
            new ToyStore(medium) {
              @Override
              boolean matches(Versioned there, ClaimVersion expected, WriteToken token) {
                return super.matches(there, expected, token)
                    || there.by().equals(Optional.of(token));
              }
            });
    all.put(
        "a late try takes effect",
        medium ->
            new ToyStore(medium) {
              private final List<WriteToken> tried = new ArrayList<>();

              @Override
              boolean matches(Versioned there, ClaimVersion expected, WriteToken token) {
                boolean isLate = tried.contains(token) && !there.by().equals(Optional.of(token));
                tried.add(token);
                return isLate || super.matches(there, expected, token);
              }
            });
    all.put(
        "what is too large is no typed refusal",
        medium ->
            new ToyStore(medium) {
              @Override
              Versioned kept(Versioned before, Claim next, WriteToken token) {
                if (!cut(next, 100_000).equals(next)) {
                  throw new IllegalStateException("buffer overflow");
                }
                return super.kept(before, next, token);
              }
            });
    all.put(
        "what is refused as too large is written",
        medium ->
            new ToyStore(medium) {
              @Override
              WriteResult answer(Versioned now) {
                if (!cut(now.claim(), 100_000).equals(now.claim())) {
                  throw new ClaimStoreException(Reason.TOO_LARGE, "Too large. Make it smaller.");
                }
                return super.answer(now);
              }
            });
  }

  // ---- scans

  /** A store that gives other pages. */
  private interface Page {
    List<Versioned> of(ToyStore store, Optional<VolumeKey> after, int limit);
  }

  private static Function<Medium, ToyStore> paging(Page page) {
    return medium ->
        new ToyStore(medium) {
          @Override
          List<Versioned> page(Optional<VolumeKey> after, int limit) {
            return page.of(this, after, limit);
          }
        };
  }

  private static Function<Medium, ToyStore> ordering(Comparator<VolumeKey> order) {
    return paging(
        (store, after, limit) ->
            store.medium.claims.values().stream()
                .filter(
                    each ->
                        after.isEmpty() || order.compare(each.claim().volume(), after.get()) > 0)
                .sorted(Comparator.comparing(each -> each.claim().volume(), order))
                .limit(limit)
                .toList());
  }

  private static void scanning(Map<String, Function<Medium, ToyStore>> all) {
    all.put("scans go backwards", ordering(Comparator.<VolumeKey>naturalOrder().reversed()));
    all.put(
        "scans are in the order of bytes",
        ordering(
            (a, b) ->
                Arrays.compareUnsigned(
                    (a.namespace() + "\0" + a.id()).getBytes(StandardCharsets.UTF_8),
                    (b.namespace() + "\0" + b.id()).getBytes(StandardCharsets.UTF_8))));
    all.put(
        "scans of nothing show something",
        paging(
            (store, after, limit) ->
                store.medium.claims.isEmpty()
                    ? List.of(ToyStore.never(VolumeKey.of("ghost")))
                    : after
                        .map(key -> store.medium.claims.tailMap(key, false))
                        .orElse(store.medium.claims)
                        .values()
                        .stream()
                        .limit(limit)
                        .toList()));
    all.put(
        "scans hide what nobody holds",
        paging(
            (store, after, limit) ->
                after
                    .map(key -> store.medium.claims.tailMap(key, false))
                    .orElse(store.medium.claims)
                    .values()
                    .stream()
                    .filter(each -> !each.claim().holders().isEmpty())
                    .limit(limit)
                    .toList()));
    all.put(
        "pages have one more",
        paging(
            (store, after, limit) ->
                after
                    .map(key -> store.medium.claims.tailMap(key, false))
                    .orElse(store.medium.claims)
                    .values()
                    .stream()
                    .limit(limit + 1L)
                    .toList()));
    all.put(
        "each page is said to be the last",
        medium ->
            new ToyStore(medium) {
              @Override
              public ClaimPage scan(Optional<VolumeKey> after, int limit) {
                ClaimPage page = super.scan(after, limit);
                return new ClaimPage(page.claims(), page.unreadable(), Optional.empty());
              }
            });
    all.put(
        "scans begin at the key",
        paging(
            (store, after, limit) ->
                after
                    .map(key -> store.medium.claims.tailMap(key, true))
                    .orElse(store.medium.claims)
                    .values()
                    .stream()
                    .limit(limit)
                    .toList()));
    all.put(
        "scans end behind a key that is not there",
        medium ->
            new ToyStore(medium) {
              @Override
              List<Versioned> page(Optional<VolumeKey> after, int limit) {
                return after.isPresent() && !medium.claims.containsKey(after.get())
                    ? List.of()
                    : super.page(after, limit);
              }
            });
    all.put(
        "scans show marks that nobody set",
        medium ->
            new ToyStore(medium) {
              @Override
              List<Versioned> page(Optional<VolumeKey> after, int limit) {
                return super.page(after, limit).stream()
                    .map(
                        each ->
                            new Versioned(
                                each.claim(),
                                each.version(),
                                Optional.of(new WriteToken(new UUID(0, 0)))))
                    .toList();
              }
            });
    all.put(
        "pages are counted and not keyed",
        medium ->
            new ToyStore(medium) {
              private int given;

              @Override
              List<Versioned> page(Optional<VolumeKey> after, int limit) {
                given = after.isEmpty() || !medium.claims.containsKey(after.get()) ? 0 : given;
                List<Versioned> page =
                    given == 0
                        ? super.page(after, limit)
                        : medium.claims.values().stream().skip(given).limit(limit).toList();
                given += page.size();
                return page;
              }
            });
  }
}
