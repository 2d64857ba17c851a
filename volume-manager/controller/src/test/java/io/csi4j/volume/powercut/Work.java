package io.csi4j.volume.powercut;

import io.csi4j.client.controller.Volume;
import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.CapacityRange;
import io.csi4j.volume.claim.Claim;
import io.csi4j.volume.claim.ClaimHolder;
import io.csi4j.volume.controller.ControllerException;
import io.csi4j.volume.controller.VolumeController;
import io.csi4j.volume.internal.claims.ClaimCodec;
import io.csi4j.volume.internal.claims.StoredClaims;
import io.csi4j.volume.internal.fields.UnknownFields;
import io.csi4j.volume.manager.VolumeManager;
import io.csi4j.volume.model.AttachmentMode;
import io.csi4j.volume.model.CatalogVolume;
import io.csi4j.volume.model.ChangeOutcome;
import io.csi4j.volume.model.ClaimMode;
import io.csi4j.volume.model.NodeName;
import io.csi4j.volume.model.VolumeException;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeSpec;
import io.csi4j.volume.model.WorkloadId;
import io.csi4j.volume.state.StateValue;
import io.csi4j.volume.store.RecordKey;
import io.csi4j.volume.store.RecordStore.WriteResult;
import io.csi4j.volume.store.RecordWrite;
import io.csi4j.volume.store.local.LocalStore;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/**
 * The work of a host: threads that mount, unmount and grow, claim, make and delete, and say to the
 * log what they ask for and what they are told.
 */
final class Work {

  private static final int MOUNTERS = 4;
  private static final NodeName NODE = NodeName.of("n1");
  private static final Claim.Use HOW =
      new Claim.Use(AccessMode.SINGLE_NODE_WRITER, AttachmentMode.FILESYSTEM);

  private final DiskLog log;
  private final long seed;
  private final List<Thread> threads = new ArrayList<>();
  private final Set<Integer> mounted = ConcurrentHashMap.newKeySet();
  private final AtomicInteger acknowledged = new AtomicInteger();
  private final List<String> failures = new CopyOnWriteArrayList<>();
  private volatile boolean ended;

  Work(DiskLog log, long seed) {
    this.log = log;
    this.seed = seed;
  }

  /** How much was done and acknowledged. */
  int acknowledged() {
    return acknowledged.get();
  }

  /** What did not succeed; nothing on a healthy disk. */
  List<String> failures() {
    return failures;
  }

  /** Ends it, and waits for what is being done. */
  void end() throws InterruptedException {
    ended = true;
    for (Thread thread : threads) {
      thread.join();
    }
  }

  /** Begins to mount, unmount and grow; these uses are mounted already. */
  void mount(VolumeManager manager, List<Volume> volumes, Set<Integer> already) {
    mounted.addAll(already);
    for (int i = 0; i < MOUNTERS; i++) {
      int me = i;
      begin(
          "mounts-" + me,
          random ->
              mountOrUnmount(
                  manager, volumes, me + MOUNTERS * random.nextInt(Host.USES / MOUNTERS), random));
    }
  }

  private void mountOrUnmount(VolumeManager manager, List<Volume> volumes, int use, Random random) {
    String thing = Host.thing(Host.usage(use));
    if (!mounted.contains(use)) {
      if (did(
          thing,
          "mounted",
          () -> {
            manager.mount(Host.request(use, volumes));
            return "mounted";
          })) {
        mounted.add(use);
      }
    } else if (random.nextInt(8) == 0) {
      grow(manager, use);
    } else {
      mounted.remove(use);
      did(
          thing,
          Word.GONE,
          () -> {
            manager.unmount(Host.usage(use));
            return Word.GONE;
          });
    }
  }

  /** Lets the node look at the size of a volume, which changes nothing that is kept. */
  private void grow(VolumeManager manager, int use) {
    try {
      manager.expand(Host.usage(use), CapacityRange.atLeast(1 << 20));
      acknowledged.incrementAndGet();
    } catch (VolumeException e) {
      failures.add("growing " + Host.usage(use) + ": " + e);
    }
  }

  /** Begins to claim and to give back. */
  void claim(LocalStore claims) {
    begin("claims", random -> claim(claims, Host.claimed(random.nextInt(Host.CLAIMS)), random));
  }

  private void claim(LocalStore claims, VolumeKey volume, Random random) {
    RecordKey key = ClaimCodec.key(volume);
    Claim before = StoredClaims.in(claims).claim(volume);
    UUID mark = new UUID(random.nextLong(), random.nextLong());
    WorkloadId workload = WorkloadId.of("w" + random.nextInt(3));
    Claim next =
        before.holder(workload).isPresent()
            ? before.without(workload)
            : before.with(holder(workload, before.epoch() + 1), HOW);
    StateValue value = StateValue.of(new ClaimCodec().encode(next, mark, UnknownFields.NONE));
    RecordWrite write = new RecordWrite(key, claims.read(key), Optional.of(value));
    did(
        "claim " + volume,
        mark.toString(),
        () -> {
          WriteResult result = claims.write(write);
          if (!(result instanceof WriteResult.Written)) {
            throw new IllegalStateException("a claim was not written: " + result);
          }
          return mark.toString();
        });
  }

  private static ClaimHolder holder(WorkloadId workload, long epoch) {
    return new ClaimHolder(
        workload,
        NODE,
        Optional.empty(),
        ClaimMode.WRITE,
        ClaimHolder.State.TAKEN,
        epoch,
        Instant.EPOCH,
        new ClaimHolder.Attachment.NotNeeded());
  }

  /** Begins to make, grow and delete volumes. */
  void provision(VolumeController controller) {
    begin(
        "provisions",
        random -> provision(controller, Host.cataloged(random.nextInt(Host.CATALOG)), random));
  }

  private void provision(VolumeController controller, VolumeKey key, Random random) {
    Optional<CatalogVolume> before = controller.find(key);
    String thing = "catalog " + key;
    if (before.isEmpty()) {
      did(thing, Host.size(1 << 20), () -> size(controller.create(key, spec())));
    } else if (random.nextBoolean()) {
      long bytes = before.get().capacityBytes().orElse(0) + (1 << 20);
      did(
          thing,
          Host.size(bytes),
          () -> size(controller.expand(key, CapacityRange.atLeast(bytes))));
    } else {
      did(
          thing,
          Word.GONE,
          () -> {
            controller.delete(key);
            return Word.GONE;
          });
    }
  }

  private static VolumeSpec spec() {
    return VolumeSpec.builder(Host.PLUGIN)
        .use(AccessMode.SINGLE_NODE_WRITER, AttachmentMode.FILESYSTEM)
        .capacity(CapacityRange.atLeast(1 << 20))
        .build();
  }

  private static String size(CatalogVolume volume) {
    return Host.size(volume.capacityBytes().orElse(0));
  }

  /** A thing that is done over and over. */
  private interface Step {
    void with(Random random);
  }

  private void begin(String name, Step step) {
    Random random = new Random(seed * 31 + name.hashCode());
    Thread thread =
        new Thread(
            () -> {
              while (!ended) {
                step.with(random);
              }
            },
            "powercut-" + name);
    thread.setDaemon(true);
    thread.start();
    threads.add(thread);
  }

  /** Does something to a thing, and says before what is wanted and after what was told. */
  boolean did(String thing, String value, Supplier<String> deed) {
    log.say(Word.begun(thing, value));
    try {
      log.say(Word.done(thing, deed.get()));
      acknowledged.incrementAndGet();
      return true;
    } catch (VolumeException e) {
      failed(thing, value, e.outcome() == VolumeException.Outcome.REFUSED, e);
    } catch (ControllerException e) {
      failed(thing, value, e.outcome() == ChangeOutcome.REFUSED, e);
    } catch (RuntimeException e) {
      failed(thing, value, false, e);
    }
    return false;
  }

  private void failed(String thing, String value, boolean refused, RuntimeException why) {
    log.say(refused ? Word.refused(thing) : Word.unknown(thing));
    if (!ended) {
      failures.add(thing + " to be " + value + ": " + why);
    }
  }
}
