package io.csi4j.conformance.claims;

import io.csi4j.conformance.claims.ToyStore.Medium;
import io.csi4j.volume.claim.Claim;
import io.csi4j.volume.claim.spi.ClaimPage;
import io.csi4j.volume.claim.spi.ClaimStoreException;
import io.csi4j.volume.claim.spi.ClaimStoreException.Reason;
import io.csi4j.volume.claim.spi.ClaimVersion;
import io.csi4j.volume.claim.spi.ClaimWatch;
import io.csi4j.volume.claim.spi.StoreIdentity;
import io.csi4j.volume.claim.spi.Versioned;
import io.csi4j.volume.claim.spi.WriteResult;
import io.csi4j.volume.claim.spi.WriteToken;
import io.csi4j.volume.model.ReasonText;
import io.csi4j.volume.model.VolumeKey;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Stores that do one thing wrong: with watches, crowds, interrupts, closing, and other clients. */
final class MoreDefects {

  private MoreDefects() {}

  static void addTo(Map<String, Function<Medium, ToyStore>> all) {
    telling(all);
    watching(all);
    crowds(all);
    interrupts(all);
    living(all);
    sharing(all);
    lasting(all);
    replacing(all);
    damage(all);
  }

  // ---- what cannot be read

  private static void damage(Map<String, Function<Medium, ToyStore>> all) {
    all.put(
        "what cannot be read is taken for what it was",
        medium ->
            new ToyStore(medium) {
              @Override
              boolean isReadable(VolumeKey volume) {
                return true;
              }
            });
    all.put(
        "scans hide what cannot be read",
        medium ->
            new ToyStore(medium) {
              @Override
              List<ClaimPage.Unreadable> unreadable(List<Versioned> claims) {
                return List.of();
              }
            });
  }

  /** Whether this is one of the callers of a crowd; alone they are served as they should be. */
  private static boolean isInACrowd() {
    return Thread.currentThread().getName().equals("csi4j-volume-claim-check");
  }

  // ---- what is replaced

  private static void replacing(Map<String, Function<Medium, ToyStore>> all) {
    all.put(
        "whatever has the version is replaced",
        medium ->
            new ToyStore(medium) {
              @Override
              public WriteResult replace(Versioned seen, Claim next, WriteToken token) {
                return compareAndSet(seen.version(), next, token);
              }
            });
    all.put(
        "nothing is replaced",
        medium ->
            new ToyStore(medium) {
              @Override
              public WriteResult replace(Versioned seen, Claim next, WriteToken token) {
                return new WriteResult.Conflict(read(next.volume()));
              }
            });
  }

  // ---- what watches are told

  private static void telling(Map<String, Function<Medium, ToyStore>> all) {
    all.put(
        "watches lose each tenth write",
        medium ->
            new ToyStore(medium) {
              private int told;

              @Override
              void tell(Versioned now) {
                told++;
                if (told % 10 != 0) {
                  super.tell(now);
                }
              }
            });
    all.put(
        "watches are told twice",
        medium ->
            new ToyStore(medium) {
              @Override
              void tell(Versioned now) {
                super.tell(now);
                super.tell(now);
              }
            });
    all.put(
        "watches are told of conflicts",
        medium ->
            new ToyStore(medium) {
              @Override
              WriteResult conflict(Versioned there, Claim next, WriteToken token) {
                tell(kept(there, next, token));
                return super.conflict(there, next, token);
              }
            });
    all.put(
        "watches are told another version",
        medium ->
            new ToyStore(medium) {
              @Override
              void tell(Versioned now) {
                super.tell(
                    new Versioned(
                        now.claim(), new ClaimVersion(now.version().value() + 1), now.by()));
              }
            });
    all.put(
        "watches lose a burst in silence",
        medium ->
            new ToyStore(medium) {
              private int told;

              @Override
              void tell(Versioned now) {
                told++;
                if (told < 150 || told == 300) {
                  super.tell(now);
                }
              }
            });
    all.put(
        "watches are told of a crowd in another order",
        medium ->
            new ToyStore(medium) {
              private @Nullable Versioned held;

              @Override
              void tell(Versioned now) {
                if (!isInACrowd()) {
                  super.tell(now);
                } else if (held == null) {
                  held = now;
                } else {
                  super.tell(now);
                  super.tell(held);
                  held = null;
                }
              }
            });
  }

  // ---- watches

  /** A watch that can be broken in one place. */
  private static class ToyWatch implements ClaimWatch {
    final ClaimWatch real;

    ToyWatch(ClaimWatch real) {
      this.real = real;
    }

    @Override
    public Optional<Change> next(Duration wait) throws InterruptedException {
      return real.next(wait);
    }

    @Override
    public void close() {
      real.close();
    }
  }

  private static Function<Medium, ToyStore> watched(Function<ToyStore, ClaimWatch> watch) {
    return medium ->
        new ToyStore(medium) {
          @Override
          public ClaimWatch watch() {
            checkOpen();
            return watch.apply(this);
          }
        };
  }

  private static void watching(Map<String, Function<Medium, ToyStore>> all) {
    all.put(
        "watches begin with what is there",
        watched(
            store -> {
              ClaimWatch watch = store.feed.watch();
              store.medium.lock.lock();
              try {
                store.medium.claims.values().forEach(store.feed::tell);
              } finally {
                store.medium.lock.unlock();
              }
              return watch;
            }));
    all.put(
        "only the first watch is told",
        medium ->
            new ToyStore(medium) {
              private int watches;

              @Override
              public ClaimWatch watch() {
                watches++;
                return watches == 1 ? super.watch() : new ToyFeed().watch();
              }
            });
    all.put(
        "a closed watch keeps who comes waiting",
        watched(
            store ->
                new ToyWatch(store.feed.watch()) {
                  private volatile boolean over;

                  @Override
                  public Optional<Change> next(Duration wait) throws InterruptedException {
                    if (over) {
                      new ToyFeed().watch().next(wait);
                    }
                    return super.next(wait);
                  }

                  @Override
                  public void close() {
                    over = true;
                    super.close();
                  }
                }));
    all.put(
        "closing a watch lets nobody go",
        watched(
            store ->
                new ToyWatch(store.feed.watch()) {
                  private volatile boolean over;

                  @Override
                  public Optional<Change> next(Duration wait) throws InterruptedException {
                    return over ? Optional.empty() : super.next(wait);
                  }

                  @Override
                  public void close() {
                    over = true;
                  }
                }));
    all.put(
        "closing a watch ends all",
        watched(
            store ->
                new ToyWatch(store.feed.watch()) {
                  @Override
                  public void close() {
                    store.feed.close();
                  }
                }));
    all.put(
        "watches take an interrupt for the end",
        watched(
            store ->
                new ToyWatch(store.feed.watch()) {
                  @Override
                  public Optional<Change> next(Duration wait) {
                    try {
                      return super.next(wait);
                    } catch (InterruptedException e) {
                      Thread.currentThread().interrupt();
                      return Optional.empty();
                    }
                  }
                }));
    all.put(
        "an interrupt costs a change",
        watched(
            store ->
                new ToyWatch(store.feed.watch()) {
                  private volatile boolean owes;

                  @Override
                  public Optional<Change> next(Duration wait) throws InterruptedException {
                    try {
                      if (owes) {
                        owes = false;
                        Optional<Change> lost = super.next(wait);
                        return lost.isEmpty() ? lost : super.next(Duration.ZERO);
                      }
                      return super.next(wait);
                    } catch (InterruptedException e) {
                      owes = true;
                      throw e;
                    }
                  }
                }));
    all.put(
        "watches outlive their store",
        medium ->
            new ToyStore(medium) {
              @Override
              public void close() {
                closed = true;
              }
            });
  }

  // ---- crowds

  private static void crowds(Map<String, Function<Medium, ToyStore>> all) {
    all.put(
        "who looked before the last write of a crowd may write over it",
        medium ->
            new ToyStore(medium) {
              @Override
              boolean matches(Versioned there, ClaimVersion expected, WriteToken token) {
                return super.matches(there, expected, token)
                    || (isInACrowd() && there.version().value() - 1 == expected.value());
              }
            });
    all.put(
        "reads in a crowd show what was",
        medium ->
            new ToyStore(medium) {
              private final Map<VolumeKey, Versioned> before = new ConcurrentHashMap<>();

              @Override
              void put(Versioned now) {
                before.put(now.claim().volume(), there(now.claim().volume()));
                super.put(now);
              }

              @Override
              public Versioned read(VolumeKey volume) {
                Versioned there = super.read(volume);
                return isInACrowd() && volume.id().equals("db")
                    ? before.getOrDefault(volume, there)
                    : there;
              }
            });
    all.put(
        "some writes of a crowd are conflicts for nothing",
        medium ->
            new ToyStore(medium) {
              private int tries;

              @Override
              boolean matches(Versioned there, ClaimVersion expected, WriteToken token) {
                tries++;
                return super.matches(there, expected, token) && !(isInACrowd() && tries % 5 == 1);
              }
            });
    all.put(
        "some writes of a crowd are lost",
        medium ->
            new ToyStore(medium) {
              private int writes;

              @Override
              void put(Versioned now) {
                writes++;
                if (!isInACrowd() || writes % 5 != 1) {
                  super.put(now);
                }
              }
            });
    all.put(
        "some writes of a crowd have no known end",
        medium ->
            new ToyStore(medium) {
              private int writes;

              @Override
              WriteResult answer(Versioned now) {
                writes++;
                return isInACrowd() && writes % 5 == 1
                    ? new WriteResult.Unknown(new ReasonText("it was too loud"))
                    : super.answer(now);
              }
            });
  }

  // ---- interrupts

  private static void swallowInterrupt() {
    if (Thread.interrupted()) {
      Thread.onSpinWait();
    }
  }

  private static void interrupts(Map<String, Function<Medium, ToyStore>> all) {
    all.put(
        "reading swallows interrupts",
        medium ->
            new ToyStore(medium) {
              @Override
              public Versioned read(VolumeKey volume) {
                swallowInterrupt();
                return super.read(volume);
              }
            });
    all.put(
        "scanning swallows interrupts",
        medium ->
            new ToyStore(medium) {
              @Override
              public ClaimPage scan(Optional<VolumeKey> after, int limit) {
                swallowInterrupt();
                return super.scan(after, limit);
              }
            });
    all.put(
        "writing swallows interrupts",
        medium ->
            new ToyStore(medium) {
              @Override
              WriteResult answer(Versioned now) {
                swallowInterrupt();
                return super.answer(now);
              }
            });
    all.put(
        "an interrupt ends the store",
        medium ->
            new ToyStore(medium) {
              private volatile boolean broken;

              @Override
              void checkOpen() {
                super.checkOpen();
                broken |= Thread.currentThread().isInterrupted();
                if (broken) {
                  throw new ClaimStoreException(
                      Reason.UNAVAILABLE, "The channel is closed. Open the store again.");
                }
              }
            });
    all.put(
        "an interrupted write is refused and made",
        medium ->
            new ToyStore(medium) {
              @Override
              WriteResult answer(Versioned now) {
                if (Thread.currentThread().isInterrupted()) {
                  throw new ClaimStoreException(Reason.UNAVAILABLE, "Interrupted. Try again.");
                }
                return super.answer(now);
              }
            });
    all.put(
        "an interrupted write is said to be made",
        medium ->
            new ToyStore(medium) {
              @Override
              void put(Versioned now) {
                if (!Thread.currentThread().isInterrupted()) {
                  super.put(now);
                }
              }
            });
    all.put(
        "an interrupted write is a conflict",
        medium ->
            new ToyStore(medium) {
              @Override
              boolean matches(Versioned there, ClaimVersion expected, WriteToken token) {
                return super.matches(there, expected, token)
                    && !Thread.currentThread().isInterrupted();
              }
            });
  }

  // ---- identity and closing

  private static void living(Map<String, Function<Medium, ToyStore>> all) {
    all.put(
        "the identity is another one each time",
        medium ->
            new ToyStore(medium) {
              @Override
              public StoreIdentity identity() {
                return new StoreIdentity("toy-" + UUID.randomUUID());
              }
            });
    all.put(
        "all stores have one identity",
        medium ->
            new ToyStore(medium) {
              @Override
              public StoreIdentity identity() {
                return new StoreIdentity("toy");
              }
            });
    all.put(
        "a store that is well is in doubt",
        medium ->
            new ToyStore(medium) {
              @Override
              public Optional<ReasonText> uncertainty(VolumeKey volume) {
                return Optional.of(new ReasonText("who knows"));
              }
            });
    all.put(
        "closing twice fails",
        medium ->
            new ToyStore(medium) {
              private int closings;

              @Override
              public void close() {
                closings++;
                if (closings == 2) {
                  throw new IllegalStateException("closed already");
                }
                super.close();
              }
            });
    all.put(
        "a closed store refuses as one that is down",
        medium ->
            new ToyStore(medium) {
              @Override
              void checkOpen() {
                if (closed) {
                  throw new ClaimStoreException(Reason.UNAVAILABLE, "It is gone. Wait.");
                }
              }
            });
    all.put(
        "a closed store goes on",
        medium ->
            new ToyStore(medium) {
              @Override
              void checkOpen() {}
            });
    all.put(
        "a closed store fails in any way",
        medium ->
            new ToyStore(medium) {
              @Override
              void checkOpen() {
                if (closed) {
                  throw new IllegalStateException("no connection");
                }
              }
            });
  }

  // ---- other clients

  private static void sharing(Map<String, Function<Medium, ToyStore>> all) {
    all.put(
        "each client remembers what it has read",
        medium ->
            new ToyStore(medium) {
              private final Map<VolumeKey, Versioned> known = new ConcurrentHashMap<>();

              @Override
              public Versioned read(VolumeKey volume) {
                checkOpen();
                return known.computeIfAbsent(volume, super::read);
              }

              @Override
              void put(Versioned now) {
                known.put(now.claim().volume(), now);
                super.put(now);
              }
            });
    all.put(
        "each client tells conflicts from what it knows",
        medium ->
            new ToyStore(medium) {
              private final Map<VolumeKey, Versioned> known = new HashMap<>();

              @Override
              void put(Versioned now) {
                known.put(now.claim().volume(), now);
                super.put(now);
              }

              @Override
              WriteResult conflict(Versioned there, Claim next, WriteToken token) {
                return super.conflict(known.getOrDefault(next.volume(), there), next, token);
              }
            });
    all.put(
        "each client is a store of its own",
        medium -> new ToyStore(medium.clients.isEmpty() ? medium : new Medium()));
    all.put(
        "each client has a name of its own",
        medium ->
            new ToyStore(medium) {
              private final StoreIdentity own = new StoreIdentity("toy-" + UUID.randomUUID());

              @Override
              public StoreIdentity identity() {
                return own;
              }
            });
    all.put(
        "watches are told of their own client only",
        medium ->
            new ToyStore(medium) {
              @Override
              void tell(Versioned now) {
                feed.tell(now);
              }
            });
    all.put(
        "closing one client closes all",
        medium ->
            new ToyStore(medium) {
              @Override
              public void close() {
                medium.clients.forEach(
                    client -> {
                      client.closed = true;
                      client.feed.close();
                    });
              }
            });
  }

  // ---- opening again

  private static boolean isOpenedAgain(Medium medium) {
    return !medium.clients.isEmpty() && medium.clients.stream().allMatch(client -> client.closed);
  }

  /** A store that does this to what it has when it is opened again. */
  private static Function<Medium, ToyStore> again(Consumer<Medium> change) {
    return medium -> {
      if (isOpenedAgain(medium)) {
        change.accept(medium);
      }
      return new ToyStore(medium);
    };
  }

  private static void lasting(Map<String, Function<Medium, ToyStore>> all) {
    all.put("closing forgets everything", again(medium -> medium.claims.clear()));
    all.put(
        "closing forgets the highest key",
        again(
            medium -> {
              if (medium.claims.size() > 1) {
                medium.claims.pollLastEntry();
              }
            }));
    all.put(
        "closing forgets exhaustion",
        again(
            medium ->
                medium.claims.replaceAll(
                    (key, each) ->
                        new Versioned(
                            each.claim().exhausted(Optional.empty()), each.version(), each.by()))));
    all.put(
        "closing forgets the marks",
        again(
            medium ->
                medium.claims.replaceAll(
                    (key, each) ->
                        new Versioned(
                            each.claim(),
                            each.version(),
                            Optional.of(new WriteToken(new UUID(0, 0)))))));
    all.put(
        "versions begin again when a store is opened again",
        medium -> {
          boolean isAgain = isOpenedAgain(medium);
          return new ToyStore(medium) {
            private long last = isAgain ? 0 : 100;

            @Override
            Versioned kept(Versioned before, Claim next, WriteToken token) {
              last++;
              return new Versioned(next, new ClaimVersion(last), Optional.of(token));
            }
          };
        });
    all.put(
        "the name is another one when a store is opened again",
        medium -> {
          boolean isAgain = isOpenedAgain(medium);
          return new ToyStore(medium) {
            @Override
            public StoreIdentity identity() {
              return isAgain ? new StoreIdentity(super.identity() + "-again") : super.identity();
            }
          };
        });
    all.put(
        "any expectation is met when a store is opened again",
        medium -> {
          boolean isAgain = isOpenedAgain(medium);
          return new ToyStore(medium) {
            @Override
            boolean matches(Versioned there, ClaimVersion expected, WriteToken token) {
              return isAgain || super.matches(there, expected, token);
            }
          };
        });
  }
}
