package io.csi4j.volume.controller;

import io.csi4j.client.controller.Capacity;
import io.csi4j.client.controller.ControllerCapability;
import io.csi4j.client.controller.Snapshot;
import io.csi4j.client.controller.ValidationResult;
import io.csi4j.client.controller.VolumeEntry;
import io.csi4j.client.group.VolumeGroupSnapshot;
import io.csi4j.client.model.CapacityRange;
import io.csi4j.client.model.Topology;
import io.csi4j.client.model.VolumeContext;
import io.csi4j.volume.catalog.CatalogEntry;
import io.csi4j.volume.catalog.CatalogEntry.State;
import io.csi4j.volume.catalog.CatalogVolume;
import io.csi4j.volume.catalog.SecretsReference;
import io.csi4j.volume.catalog.VolumeSpec;
import io.csi4j.volume.catalog.VolumeStore;
import io.csi4j.volume.claim.Claim;
import io.csi4j.volume.claim.ClaimDecision;
import io.csi4j.volume.claim.ClaimRequest;
import io.csi4j.volume.claim.spi.StorageController;
import io.csi4j.volume.internal.text.Messages;
import io.csi4j.volume.internal.text.Subject;
import io.csi4j.volume.internal.time.Clock;
import io.csi4j.volume.internal.time.Scheduler;
import io.csi4j.volume.model.Clause;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.SecretsProvider;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.plugin.PluginRegistry;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/** The operations of a controller, put together from their parts. Nothing here blocks but lists. */
final class OpenedController implements AutoCloseable {

  private final Catalog catalog;
  private final Controllers controllers;
  private final PluginRegistry registry;
  private final ControllerOperations operations;
  private final VolumeCalls calls;
  private final VolumeCreation creating;
  private final VolumeDeletion ending;
  private final VolumeGrowth growing;
  private final VolumeRegistration registering;
  private final SnapshotCreation snapshots;
  private final Lists lists;
  private final UnfinishedWork leftovers;
  private final Consumer<OperatorMessage> told;

  /**
   * What it is opened with.
   *
   * @param store where volumes are remembered
   * @param claims who holds a volume
   * @param secrets where the secrets of a reference come from
   * @param settings how controllers are called
   * @param namePrefix what names of volumes begin with
   * @param snapshotPatience how long a snapshot may take until it is ready
   * @param validation how much of a registered volume has to be confirmed
   * @param told gets what people want to know though nothing failed
   */
  public record Options(
      VolumeStore store,
      Function<VolumeKey, Optional<Claim>> claims,
      Function<SecretsReference, SecretsProvider> secrets,
      ControllerSettings settings,
      String namePrefix,
      Duration snapshotPatience,
      ValidationResult.Policy validation,
      Consumer<OperatorMessage> told) {}

  /**
   * The parts of the world that it needs.
   *
   * @param registry the plugins
   * @param controllers their controllers
   * @param threads where operations run
   */
  public record World(
      PluginRegistry registry,
      Controllers controllers,
      Clock clock,
      Scheduler timers,
      Executor threads) {}

  /** Opens it, and goes on with what an earlier life has begun. */
  public OpenedController(Options options, World world) {
    catalog = new Catalog(options.store());
    controllers = world.controllers();
    registry = world.registry();
    ControllerSettings settings = options.settings();
    operations =
        new ControllerOperations(
            new OperationTurns<>(settings.waiters(), settings.longestWait(), world.timers()),
            world.threads());
    calls = new VolumeCalls(options.secrets());
    ending = new VolumeDeletion(catalog, controllers, calls, options.claims());
    OlderModes modes = new OlderModes(options.told());
    creating = new VolumeCreation(catalog, controllers, calls, ending, modes, options.namePrefix());
    growing = new VolumeGrowth(catalog, controllers, calls, ending, options.claims());
    registering =
        new VolumeRegistration(
            catalog,
            controllers,
            calls,
            ending,
            modes,
            world.registry(),
            options.validation(),
            options.told());
    snapshots =
        new SnapshotCreation(
            catalog, controllers, calls, world.clock(), world.timers(), options.snapshotPatience());
    lists = new Lists(controllers, calls);
    told = options.told();
    leftovers = new UnfinishedWork(catalog, world.timers(), this::goOn);
    leftovers.later();
  }

  private <T> CompletableFuture<T> run(String doing, VolumeKey key, Supplier<T> work) {
    CompletableFuture<T> run =
        operations.run(List.of(key), subject(doing + " volume '" + key + "'"), work);
    run.whenComplete((value, thrown) -> leftovers.later());
    return run;
  }

  /** Returns the subject of an operation, for messages. */
  public static Subject subject(String doing) {
    return Subject.of(doing);
  }

  private CompletableFuture<?> goOn(VolumeKey key) {
    return operations.run(
        List.of(key),
        subject("going on with volume '" + key + "'"),
        () -> {
          CatalogEntry record = catalog.find(key).orElse(null);
          if (record != null && record.state() instanceof State.Deleting) {
            ending.finish(record);
          } else if (record != null) {
            growing.goOn(record);
          }
          return Done.DONE;
        });
  }

  public CompletableFuture<CatalogVolume> create(VolumeKey key, VolumeSpec spec) {
    return run("creating", key, () -> creating.create(key, spec));
  }

  public CompletableFuture<Done> delete(VolumeKey key) {
    return run("deleting", key, () -> ending.delete(key));
  }

  /** Takes a volume on record that was not made here. */
  public CompletableFuture<CatalogVolume> register(CatalogVolume volume) {
    if (volume.origin() != CatalogVolume.Origin.REGISTERED) {
      throw new IllegalArgumentException(
          "The volume '"
              + volume.key()
              + "' says that it was made here. Register it with the origin REGISTERED.");
    }
    return run("registering", volume.key(), () -> registering.register(volume));
  }

  public CompletableFuture<Boolean> deregister(VolumeKey key) {
    return run("forgetting", key, () -> registering.deregister(key));
  }

  public CompletableFuture<CatalogVolume> expand(VolumeKey key, CapacityRange to) {
    return run("expanding", key, () -> growing.expand(key, to));
  }

  public CompletableFuture<CatalogVolume> nodeHasExpanded(VolumeKey key) {
    return run("expanding", key, () -> growing.settled(key));
  }

  public CompletableFuture<CatalogVolume> modify(VolumeKey key, Map<String, String> changes) {
    return run("modifying", key, () -> growing.modify(key, changes));
  }

  public CompletableFuture<Snapshot> cut(
      VolumeKey key, SnapshotName name, Map<String, String> parameters) {
    String doing = "cutting a snapshot of";
    return unguarded(
        doing + " volume '" + key + "'", () -> snapshots.cut(volume(key, doing), name, parameters));
  }

  /** One that may take long, and whose calls alone have to wait for each other. */
  private <T> CompletableFuture<T> unguarded(String doing, Supplier<T> work) {
    return operations.run(List.of(), subject(doing), work);
  }

  /** All of one plugin. */
  public CompletableFuture<VolumeGroupSnapshot> cut(
      Set<VolumeKey> keys, SnapshotName name, Map<String, String> parameters) {
    String doing = "cutting group snapshot '" + name + "'";
    return unguarded(
        doing,
        () -> {
          List<CatalogVolume> volumes =
              keys.stream().sorted().map(key -> volume(key, "cutting a snapshot of")).toList();
          if (volumes.stream().map(CatalogVolume::plugin).distinct().count() != 1) {
            throw ControllerFailures.refused(
                OperatorCode.VOLUME_REQUEST_REFUSED,
                subject(doing),
                "its " + volumes.size() + " volumes are not all of one plugin");
          }
          return snapshots.cut(volumes, name, parameters);
        });
  }

  /** Deletes a snapshot that was asked for, and may be there. */
  public CompletableFuture<Boolean> drop(VolumeKey key, SnapshotName name) {
    String doing = "dropping a snapshot of";
    return unguarded(
        doing + " volume '" + key + "'", () -> snapshots.drop(growing.there(key, doing), name));
  }

  private CatalogVolume volume(VolumeKey key, String doing) {
    return growing.there(key, doing).volume().orElseThrow();
  }

  /** Runs what concerns no volume that is on record. */
  public <T> CompletableFuture<T> run(String doing, Function<SnapshotCreation, T> work) {
    return unguarded(doing, () -> work.apply(snapshots));
  }

  /** Returns what the plugin says of a volume now. */
  public CompletableFuture<VolumeEntry> inspect(VolumeKey key) {
    return unguarded(
        "reading volume '" + key + "'",
        () -> {
          CatalogVolume known = volume(key, "reading");
          VolumeEntry seen = StepWait.on(controllers.call(calls.inspect(known)));
          tellOfOtherContext(known, seen.volume().context());
          return seen;
        });
  }

  /** The context that a volume was made with stays in force, even if another is reported later. */
  private void tellOfOtherContext(CatalogVolume known, VolumeContext seen) {
    if (!seen.isEmpty() && !seen.equals(known.context())) {
      told.accept(
          Messages.of(
              OperatorCode.VOLUME_CONTEXT_CHANGED,
              Subject.of("reading", VolumeCalls.identity(known)),
              "it has " + seen + " now, and was made with " + known.context()));
    }
  }

  public CompletableFuture<Capacity> capacity(VolumeSpec spec, Optional<Topology> place) {
    Subject subject = subject("reading the capacity of plugin '" + spec.plugin() + "'");
    return controllers
        .facts(spec.plugin(), subject)
        .thenCompose(facts -> controllers.call(VolumeCalls.capacity(spec, place, facts)))
        .handle(
            (room, thrown) -> {
              if (thrown != null) {
                throw ControllerFailures.of(subject, thrown);
              }
              return room;
            });
  }

  /** Deletes ephemeral volumes that are not among those that are wanted, but for claimed ones. */
  public Map<VolumeKey, CompletableFuture<Done>> retain(Collection<VolumeKey> wanted) {
    return catalog.all().stream()
        .filter(each -> each.spec().ephemeral() && !wanted.contains(each.key()))
        .collect(Collectors.toUnmodifiableMap(CatalogEntry::key, each -> delete(each.key())));
  }

  /** Those that wait to be brought to their end. */
  public List<VolumeKey> owed() {
    return leftovers.owed();
  }

  public Optional<CatalogEntry> find(VolumeKey key) {
    return catalog.find(key);
  }

  public List<CatalogVolume> volumes() {
    return catalog.volumes();
  }

  /** For those who claim volumes. */
  public StorageController attachments() {
    return new CatalogAttachments(catalog, controllers, calls);
  }

  /** Why a volume cannot be claimed now, if it cannot. */
  public Optional<ClaimDecision.Refused> whyNotClaimed(ClaimRequest request) {
    CatalogEntry record = catalog.find(request.usage().volume()).orElse(null);
    if (record == null) {
      return refused(OperatorCode.VOLUME_UNKNOWN, "no volume of that name is on record");
    }
    if (record.state() instanceof State.Deleting) {
      return refused(OperatorCode.VOLUME_BEING_DELETED, "the volume is being deleted");
    }
    if (record.volume().isEmpty()) {
      return refused(OperatorCode.VOLUME_UNKNOWN, "it is being created, and not there yet");
    }
    return request.attaches()
        ? ControllerLinks.down(record.spec().plugin(), registry.plugins())
            .flatMap(
                down ->
                    refused(down.code(), "plugin '" + record.spec().plugin() + "': " + down.text()))
        : Optional.empty();
  }

  private static Optional<ClaimDecision.Refused> refused(OperatorCode code, String because) {
    return Optional.of(new ClaimDecision.Refused(code, Optional.empty(), new Clause(because)));
  }

  /** Whether volumes of a plugin have to be attached to nodes. */
  public boolean attaches(PluginId plugin) {
    Subject subject = subject("asking whether plugin '" + plugin + "' attaches volumes");
    return StepWait.on(controllers.facts(plugin, subject)).attaches();
  }

  public Set<ControllerCapability> offered(PluginId plugin) {
    Subject subject = subject("asking what the controllers of plugin '" + plugin + "' can do");
    return StepWait.on(controllers.facts(plugin, subject)).controller().offered();
  }

  public Lists lists() {
    return lists;
  }

  @Override
  public void close() {
    leftovers.close();
  }
}
