package io.csi4j.examples;

import io.csi4j.client.controller.Snapshot;
import io.csi4j.client.controller.VolumeEntry;
import io.csi4j.client.model.CapacityRange;
import io.csi4j.client.model.VolumeId;
import io.csi4j.conformance.RecordStoreChecks;
import io.csi4j.conformance.store.RecordStoreFixture;
import io.csi4j.volume.catalog.ClusterIdentity;
import io.csi4j.volume.catalog.ExpectedInstances;
import io.csi4j.volume.catalog.PluginView;
import io.csi4j.volume.catalog.VolumeChange;
import io.csi4j.volume.catalog.VolumeFilter;
import io.csi4j.volume.catalog.VolumeSummary;
import io.csi4j.volume.claim.ClaimHolder;
import io.csi4j.volume.claim.ClaimOverride;
import io.csi4j.volume.claim.ClaimRequest;
import io.csi4j.volume.claim.ReleaseProof;
import io.csi4j.volume.claim.coordination.ClaimBook;
import io.csi4j.volume.claim.coordination.ClaimCoordinator;
import io.csi4j.volume.claim.etcd.EtcdLogin;
import io.csi4j.volume.claim.etcd.EtcdPassword;
import io.csi4j.volume.claim.etcd.EtcdPrefix;
import io.csi4j.volume.claim.etcd.EtcdSettings;
import io.csi4j.volume.claim.etcd.EtcdStore;
import io.csi4j.volume.claim.jdbc.JdbcSettings;
import io.csi4j.volume.claim.jdbc.PostgresStore;
import io.csi4j.volume.controller.ClusterSetup;
import io.csi4j.volume.controller.ControllerException;
import io.csi4j.volume.controller.JobVolumes;
import io.csi4j.volume.controller.SnapshotName;
import io.csi4j.volume.controller.VolumeController;
import io.csi4j.volume.controller.VolumeController.PageRequest;
import io.csi4j.volume.manager.VolumeManager;
import io.csi4j.volume.model.CatalogVolume;
import io.csi4j.volume.model.ClaimGrant;
import io.csi4j.volume.model.Namespace;
import io.csi4j.volume.model.NodeName;
import io.csi4j.volume.model.NodeReceipt;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.ReasonText;
import io.csi4j.volume.model.VolumeException;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeSpec;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.WorkloadId;
import io.csi4j.volume.node.MountRequest;
import io.csi4j.volume.node.NodeClaims;
import io.csi4j.volume.plugin.PluginRegistry;
import io.csi4j.volume.plugin.RegisteredPlugin;
import io.csi4j.volume.state.seal.AesGcmSealer;
import io.csi4j.volume.state.seal.Sealer;
import io.csi4j.volume.store.RecordKey;
import io.csi4j.volume.store.RecordStore;
import io.csi4j.volume.store.StoreIdentity;
import io.csi4j.volume.store.local.LocalStore;
import io.csi4j.volume.upkeep.DriftCheck;
import io.csi4j.volume.upkeep.Leftover;
import io.csi4j.volume.upkeep.Reaper;
import io.csi4j.volume.upkeep.StoredAttachments;
import io.csi4j.volume.upkeep.VolumeKeeper;
import java.net.URI;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.DynamicTest;

/** The code blocks of docs/claims.md, each between a mark with its name and one at its end. */
final class ClaimsSnippets {

  private ClaimsSnippets() {}

  static void journey(
      ClaimCoordinator coordinator,
      VolumeManager manager,
      ClaimRequest request,
      MountRequest.Builder volume,
      Consumer<Object> host) {
    // snippet: journey
    ClaimGrant grant = coordinator.acquire(request); // claimed, and attached where that is needed
    host.accept(
        manager.mount(
            volume
                .claim(grant) // asked for before it stages, and before it publishes
                .build()));

    coordinator.release(grant.usage()); // from now on its node mounts nothing with it
    manager.unmount(grant.usage());
    NodeReceipt receipt = manager.receipt(grant.usage(), grant.epoch()); // looks at the mounts
    host.accept(coordinator.confirmRelease(receipt)); // Gone: detached, and free for the next one
    // end
  }

  static void job(
      VolumeController controller,
      ClaimCoordinator coordinator,
      ClaimBook book,
      VolumeSpec.Builder spec,
      Map<VolumeKey, ClaimRequest> requests,
      VolumeManager manager,
      Consumer<Object> host) {
    // snippet: job
    JobVolumes volumes = new JobVolumes(controller, coordinator);
    VolumeKey key =
        JobVolumes.job(Namespace.of("team"), "render").task("frame-7").volume("scratch");
    JobVolumes.Acquired scratch =
        volumes.acquire(
            spec.ephemeral(true).build(), requests.get(key)); // created, claimed, attached
    host.accept(scratch); // its node mounts scratch.volume() with scratch.grant()

    VolumeUse usage = scratch.grant().usage();
    volumes.release(usage); // the task has ended, and its node unmounts the volume
    NodeReceipt receipt = manager.receipt(usage, scratch.grant().epoch());
    host.accept(volumes.confirmRelease(receipt).volume()); // DELETED, or CLAIMED by another task

    Reaper.Sources sources = // what a crash leaves over
        Reaper.Sources.of(coordinator).with(Reaper.Sources.Ephemeral.of(volumes));
    host.accept(new Reaper(book, sources, Clock.systemUTC(), host::accept));
    // end
  }

  static VolumeManager node(Path directory, ClaimBook book) {
    // snippet: node
    VolumeManager manager =
        VolumeManager.builder(directory)
            .claims(NodeClaims.of(NodeName.of("n1"), book::standing))
            .open();
    // end
    return manager;
  }

  static void override(
      ClaimCoordinator coordinator,
      NodeName node,
      VolumeUse usage,
      long epoch,
      Consumer<Object> log) {
    // snippet: override
    coordinator.nodeIsDown(node).forEach(log); // changes nothing; says what would free each claim
    coordinator.confirmRelease(
        new ReleaseProof.OperatorOverride(
            usage,
            epoch,
            new ClaimOverride.Person("ada@example.com"),
            new ReasonText("node n1 was taken out of its rack"),
            ReleaseProof.Covers.NODE));
    // end
  }

  static void reap(
      ClaimBook book,
      ClaimCoordinator coordinator,
      VolumeManager manager,
      VolumeController controller,
      Set<VolumeUse> wanted,
      Predicate<VolumeKey> isWanted,
      Reaper.Throttle pace,
      Consumer<Object> log) {
    // snippet: reap
    Reaper.Sources sources =
        Reaper.Sources.of(coordinator)
            .with(Reaper.Sources.Node.of(NodeName.of("n1"), manager::receipt, wanted::contains))
            .with(Reaper.Sources.Ephemeral.of(controller, isWanted))
            .with(Reaper.Sources.Unused.of(controller, Duration.ofDays(90)));
    Reaper reaper = new Reaper(book, sources, Clock.systemUTC(), log::accept);

    List<Leftover> plan = reaper.plan(); // nothing is done yet
    plan.forEach(log); // each with its reason
    reaper.apply(plan, pace).forEach(log); // each looked at again, right before it
    reaper.unused().forEach(log); // advice for people: nothing is done about these
    // end
  }

  static void drift(
      VolumeController controller,
      PluginId plugin,
      RecordStore claims,
      ClaimCoordinator coordinator,
      Consumer<Object> log) {
    // snippet: drift
    DriftCheck check = new DriftCheck(StoredAttachments.of(controller, plugin), claims);
    DriftCheck.Report report = check.look(controller.handles(plugin)); // nothing is changed by it
    report.findings().forEach(drift -> log.accept(drift.message().line()));

    DriftCheck.Policy policy =
        new DriftCheck.Policy(true, false); // attaches again; detaches nothing
    check.repair(report, policy, DriftCheck.Repair.by(coordinator, log::accept)).forEach(log);
    // end
  }

  static void keeper(
      ClaimCoordinator coordinator,
      Reaper reaper,
      VolumeController controller,
      RecordStore claims,
      Consumer<Object> log) {
    // snippet: keeper
    try (VolumeKeeper keeper =
        VolumeKeeper.builder()
            .resuming(coordinator)
            .reaping(reaper, Reaper.Throttle.oneEach(Duration.ofSeconds(1)))
            .comparing(
                controller,
                claims,
                DriftCheck.Policy.reportOnly(),
                DriftCheck.Repair.by(coordinator, log::accept),
                drift -> log.accept(drift.message().line()))
            .every("compare", Duration.ofHours(1))
            .listener(round -> log.accept(round.text()))
            .open()) {
      keeper.keepNow(); // all of it once; from time to time it is done anyhow
    }
    // end
  }

  static void local(Path directory, ClaimRequest request, Consumer<ClaimHolder> host) {
    // snippet: local
    try (RecordStore store = LocalStore.open(directory)) { // on a local disk, made when missing
      ClaimBook book = new ClaimBook(store, Clock.systemUTC());
      ClaimHolder holder = book.claim(request); // durable when it returns
      host.accept(holder); // mounts the volume, uses it, takes it down
      book.advance(request.usage(), ClaimHolder.State.READY_TO_FREE); // nothing is owed any more
      book.forget(request.usage());
    }
    // end
  }

  static void etcd(
      List<URI> members, EtcdPassword password, ClaimRequest request, Consumer<ClaimHolder> host) {
    // snippet: etcd
    EtcdSettings settings =
        EtcdSettings.builder(members.toArray(URI[]::new)) // https://etcd-1:2379, ...
            .prefix(EtcdPrefix.of("/clusters/blue")) // where one etcd has several stores
            .login(new EtcdLogin("csi4j", password))
            .build();
    try (RecordStore store = EtcdStore.open(settings)) {
      ClaimBook book = new ClaimBook(store, Clock.systemUTC());
      host.accept(book.claim(request)); // every other machine is told who holds it
    }
    // end
  }

  static void jdbc(DataSource source, ClaimRequest request, Consumer<ClaimHolder> host) {
    // snippet: jdbc
    JdbcSettings settings =
        JdbcSettings.builder()
            .schema("blue") // where one database has several stores
            .build();
    try (RecordStore store = PostgresStore.open(source, settings)) { // the host's pool
      ClaimBook book = new ClaimBook(store, Clock.systemUTC());
      host.accept(book.claim(request)); // every other machine is told who holds it
    }
    // end
  }

  static void sealed(Path keys, Path directory, EtcdSettings etcd, Consumer<Object> host) {
    // snippet: sealed
    Sealer sealer = AesGcmSealer.fromFile(keys); // lines "ID BASE64" of 16 or 32 bytes; mode 0600
    RecordStore claims = LocalStore.open(directory.resolve("claims"), sealer);
    RecordStore shared =
        EtcdStore.open(etcd.toBuilder().sealer(sealer).build()); // all hosts have the key
    RecordStore catalog = LocalStore.open(directory.resolve("catalog"), sealer);
    // end
    List.of(claims, shared, catalog).forEach(host);
  }

  static void doubt(LocalStore store, VolumeKey volume, Consumer<Object> log, Runnable compared) {
    // snippet: doubt
    RecordKey claim = RecordKey.of(RecordKey.Space.CLAIMS, volume);
    if (store.uncertainty(claim).isPresent()) { // damage to the journal: nothing is claimed of it
      log.accept(store.uncertainty(claim).get());
      compared.run(); // the claims with what is mounted, by a person or a program
      store.settle(); // claims are taken again
    }
    // end
  }

  static void settle(EtcdStore store, Consumer<Object> log, Runnable compared) {
    // snippet: settle
    if (store.readOnly().isPresent()) { // an older copy was restored: nothing is written
      log.accept(store.readOnly().get());
      compared.run(); // the claims with what is mounted, by a person or a program
      StoreIdentity settled = store.settle(); // writes are taken again
      log.accept(settled); // for the configuration, if the store is named there
    }
    // end
  }

  static void identity(RecordStore store, Consumer<Object> host) {
    // snippet: identity
    ClusterIdentity blue = new ClusterSetup(store).create(); // once, by a person
    host.accept(blue); // for the configuration, such as "q3f7k2mzc5xda"
    // end
  }

  static void lost(
      VolumeController controller,
      PluginId plugin,
      ClusterIdentity former,
      VolumeSpec spec,
      Consumer<Object> log) {
    // snippet: lost
    List<VolumeEntry> unknown = controller.unknownVolumes(plugin, former); // nothing is changed
    unknown.forEach(log); // a person decides which key each of them gets
    VolumeId id = unknown.get(0).volume().id();
    CatalogVolume.Builder found = CatalogVolume.builder(VolumeKey.of("db"), spec, id);
    controller.adopt(former, found.origin(CatalogVolume.Origin.CREATED).build());
    // end
  }

  static void accept(EtcdStore store, Runnable compared) {
    // snippet: accept
    compared.run(); // no control plane works with the former store any more
    if (store.readOnly().isPresent()) {
      store.settle(); // the claims are right
    }
    new ClusterSetup(store).accept(); // the catalog is right, and this store is the only one
    // end
  }

  static void controller(PluginRegistry plugins, RecordStore store, VolumeSpec spec) {
    VolumeKey db = VolumeKey.of("db");
    // snippet: controller
    try (VolumeController controller =
        VolumeController.builder(plugins, store).claims(store).open()) { // claims and catalog
      CatalogVolume made =
          controller.create(db, spec); // the same again finds it, also after a crash
      Snapshot cut = controller.createSnapshot(db, SnapshotName.of("nightly"), Map.of()); // ready
      controller.deleteSnapshot(made.plugin(), cut, spec.secrets());
      controller.expand(db, CapacityRange.atLeast(2L << 30)); // what the node owes is remembered
      controller.delete(db); // refused, with the holders' names, while somebody claims it
    }
    // end
  }

  static void changes(
      VolumeController controller, VolumeManager manager, VolumeKey db, Consumer<String> log) {
    // snippet: changes
    try {
      controller.expand(db, CapacityRange.atLeast(2L << 30));
    } catch (ControllerException failed) {
      log.accept(failed.operatorMessage().line());
    }
    for (VolumeChange change : controller.changes(db)) { // also after a restart, from any thread
      log.accept(change.request() + ": " + change.progress() + " " + change.seen());
      log.accept(change.next());
    }

    CatalogVolume grown = controller.find(db).orElseThrow();
    if (grown.pendingOnNode().isPresent()) { // the storage has the size, the filesystem does not
      VolumeUse usage = VolumeUse.of(db, WorkloadId.of("web-1"));
      CapacityRange owed = grown.pendingOnNode().get();
      try {
        manager.expand(usage, owed);
        controller.nodeHasExpanded(db, owed); // a size that is owed since then stays owed
      } catch (VolumeException refused) {
        controller.nodeCannotExpand(db, owed, refused.operatorMessage());
      }
    }
    // end
  }

  static void batch(
      VolumeController controller,
      List<CatalogVolume> found,
      PluginId plugin,
      Map<NodeName, List<RegisteredPlugin>> instances,
      Consumer<String> log) {
    // snippet: batch
    controller
        .registerAll(found) // volumes that were there before csi4j
        .forEach((key, failed) -> log.accept(key + ": " + failed.operatorMessage().line()));

    PageRequest page = new PageRequest(100, Optional.empty());
    VolumeSummary.Page shown =
        controller.summaries(
            VolumeFilter.all().ofPlugin(plugin).inNamespace(Namespace.of("shop")),
            page, // the next one: shown.next().map(page::after)
            id -> PluginView.of(id, instances, new ExpectedInstances(1, 3)));
    for (VolumeSummary volume : shown.volumes()) {
      log.accept(volume.key() + ": " + volume.state() + ", " + volume.changes());
    }
    // end
  }

  static Stream<DynamicTest> checks(Path directory) {
    // snippet: checks
    RecordStoreFixture fixture =
        new RecordStoreFixture() {
          private int stores;

          @Override
          public Place place() { // an empty store for each check
            Path place = directory.resolve("store-" + stores++);
            return new Place() {
              @Override
              public RecordStore open() {
                return LocalStore.open(place); // your store here
              }

              @Override
              public void close() {} // throw away what is left of it
            };
          }

          @Override
          public Set<Ability> abilities() {
            return Set.of(Ability.DURABLE); // and SHARED, TOGETHER
          }
        };
    return RecordStoreChecks.of(fixture).stream()
        .map(check -> DynamicTest.dynamicTest(check.name(), check::run));
    // end
  }
}
