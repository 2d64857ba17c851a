package io.csi4j.volume.controller;

import io.csi4j.client.CsiPlugin;
import io.csi4j.client.controller.Capacity;
import io.csi4j.client.controller.ControllerCapability;
import io.csi4j.client.controller.ControllerListVolumeHealthRequest;
import io.csi4j.client.controller.ControllerService;
import io.csi4j.client.controller.ListSnapshotsRequest;
import io.csi4j.client.controller.ListVolumesRequest;
import io.csi4j.client.controller.Snapshot;
import io.csi4j.client.controller.VolumeEntry;
import io.csi4j.client.model.CallPolicy;
import io.csi4j.client.model.CsiAnswerException;
import io.csi4j.client.model.CsiException;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.Listing;
import io.csi4j.client.model.Page;
import io.csi4j.client.model.Secrets;
import io.csi4j.client.model.StatusCode;
import io.csi4j.client.model.Topology;
import io.csi4j.client.model.Violation.Rule;
import io.csi4j.client.model.VolumeContext;
import io.csi4j.client.model.VolumeHealthReport;
import io.csi4j.client.model.VolumeId;
import io.csi4j.volume.catalog.CatalogEntry;
import io.csi4j.volume.catalog.ClusterIdentity;
import io.csi4j.volume.controller.VolumeController.PageRequest;
import io.csi4j.volume.internal.catalog.ClusterNames;
import io.csi4j.volume.internal.condition.Conditions;
import io.csi4j.volume.internal.text.Messages;
import io.csi4j.volume.internal.text.Subject;
import io.csi4j.volume.internal.time.Unwrapped;
import io.csi4j.volume.model.CatalogVolume;
import io.csi4j.volume.model.ChangeOutcome;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.ReasonText;
import io.csi4j.volume.model.SecretsReference;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeSpec;
import io.csi4j.volume.model.VolumeVerdict;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/**
 * Reads from storage systems: volumes, capacity, capabilities and lists. Reads change nothing
 * except the recorded topologies of volumes, and do not wait for other work on a volume.
 *
 * @param runner delivers the answers that no thread waits for
 * @param places records the topologies from which volumes can be reached
 * @param policy the timeouts and retries of lists
 * @param told receives messages for people about the volumes read
 */
record StorageReads(
    OperationRunner runner,
    Catalog catalog,
    Controllers controllers,
    ControllerCalls calls,
    VolumePlaces places,
    UnaryOperator<CallPolicy.Builder> policy,
    Consumer<OperatorMessage> told) {

  // ---- a volume

  VolumeEntry inspect(VolumeKey key) {
    CatalogVolume known = catalog.volume(key, "reading");
    VolumeEntry seen = controllers.answer(calls.inspect(known));
    tellOfOtherContext(known, seen.volume().context());
    places.saw(known, seen.volume());
    return seen;
  }

  /**
   * The context with which a volume was created stays in force, even if the plugin later reports
   * another one.
   */
  private void tellOfOtherContext(CatalogVolume known, VolumeContext seen) {
    if (!seen.isEmpty() && !seen.equals(known.context())) {
      told.accept(
          Messages.of(
              OperatorCode.VOLUME_CONTEXT_CHANGED,
              Subject.of("reading", ControllerCalls.identity(known)),
              "it has " + seen + " now, but was created with " + known.context()));
    }
  }

  CompletableFuture<Optional<VolumeHealthReport>> health(VolumeKey key) {
    Subject subject = Subject.of("reading the health of volume '" + key + "'");
    CompletableFuture<Optional<VolumeHealthReport>> answer;
    try {
      CatalogVolume known = catalog.volume(key, "reading the health of");
      answer =
          controllers.facts(known.plugin(), subject).thenCompose(facts -> health(known, facts));
    } catch (ControllerException unknown) {
      answer = CompletableFuture.failedFuture(unknown);
    }
    return runner.asked(subject, failing(answer, thrown -> ControllerFailures.of(subject, thrown)));
  }

  private CompletableFuture<Optional<VolumeHealthReport>> health(
      CatalogVolume volume, ControllerFacts facts) {
    // Each capability implies the other.
    if (facts.offers(ControllerCapability.GET_VOLUME_HEALTH)
        || facts.offers(ControllerCapability.LIST_VOLUME_HEALTH)) {
      return controllers.call(calls.health(volume)).thenApply(Optional::of);
    } else if (facts.offers(ControllerCapability.VOLUME_CONDITION)
        && facts.offers(ControllerCapability.GET_VOLUME)) {
      return controllers
          .call(calls.inspect(volume))
          .thenApply(
              seen -> {
                places.saw(volume, seen.volume());
                return Conditions.report(seen);
              });
    }
    return CompletableFuture.completedFuture(Optional.empty());
  }

  // ---- whether a volume exists

  /**
   * Looks for a volume that a node cannot find: in the catalog, then in the storage system. Only an
   * answer that the volume does not exist proves that; a missing answer or an incomplete list does
   * not.
   */
  VolumeVerdict verdict(VolumeKey key) {
    Subject subject = Subject.of("looking for volume '" + key + "'");
    Optional<CatalogEntry> record = catalog.find(key);
    if (record.isEmpty()) {
      return new VolumeVerdict.Gone(
          Messages.of(
              OperatorCode.VOLUME_GONE, subject, "no volume with that name is recorded any more"));
    }
    return record
        .get()
        .volume()
        .map(volume -> verdict(subject, volume))
        .orElseGet(() -> unknown("it is being created or deleted"));
  }

  private VolumeVerdict verdict(Subject subject, CatalogVolume volume) {
    try {
      ControllerFacts facts = controllers.abilities(volume.plugin(), subject);
      if (facts.offers(ControllerCapability.GET_VOLUME)) {
        Optional<VolumeVerdict> said = verdict(subject, calls.inspect(volume));
        if (said.isPresent()) {
          return said.get();
        }
      } else if (facts.offers(ControllerCapability.LIST_VOLUMES) && isListed(volume)) {
        return new VolumeVerdict.Present();
      }
      return verdict(subject, calls.validate(volume, facts))
          .orElseGet(() -> unknown("the storage system does not say whether it exists"));
    } catch (ControllerException failed) {
      return unknown(failed.operatorMessage().seen().text());
    }
  }

  /**
   * Returns the verdict of a call about a volume; empty if the plugin does not offer the call after
   * all.
   */
  private Optional<VolumeVerdict> verdict(Subject subject, ControllerCall<?> call) {
    try {
      var unused = controllers.answer(call);
      return Optional.of(new VolumeVerdict.Present());
    } catch (ControllerException failed) {
      if (!(failed.getCause() instanceof CsiException answer)) {
        throw failed;
      }
      if (answer.code() == StatusCode.NOT_FOUND && answer.failure().answered()) {
        return Optional.of(
            new VolumeVerdict.Gone(
                Messages.answered(OperatorCode.VOLUME_GONE, subject, answer.failure())));
      }
      if (answer.code() == StatusCode.UNIMPLEMENTED) {
        return Optional.empty();
      }
      throw failed;
    }
  }

  /** Whether a list contains a volume. A list may omit an existing volume. */
  private boolean isListed(CatalogVolume volume) {
    try {
      for (VolumeEntry each : volumes(volume.plugin())) {
        if (each.volume().id().equals(volume.id())) {
          return true;
        }
      }
    } catch (ControllerException incomplete) {
      // The next step queries the volume itself.
    }
    return false;
  }

  private static VolumeVerdict unknown(String because) {
    return new VolumeVerdict.Unknown(new ReasonText(because));
  }

  // ---- a plugin

  CompletableFuture<Capacity> capacity(VolumeSpec spec, Optional<Topology> place) {
    Subject subject = Subject.of("reading the capacity of plugin '" + spec.plugin() + "'");
    return runner.asked(
        Subject.of("reading the capacity"),
        failing(
            controllers
                .facts(spec.plugin(), subject)
                .thenCompose(
                    facts -> controllers.call(ControllerCalls.capacity(spec, place, facts))),
            thrown -> ControllerFailures.of(subject, thrown)));
  }

  CompletableFuture<Boolean> attaches(PluginId plugin) {
    Subject subject = Subject.of("checking whether plugin '" + plugin + "' attaches volumes");
    return runner.asked(subject, controllers.attaches(plugin, subject));
  }

  CompletableFuture<Set<ControllerCapability>> offered(PluginId plugin) {
    Subject subject = Subject.of("reading the capabilities of plugin '" + plugin + "'");
    return runner.asked(
        subject, controllers.facts(plugin, subject).thenApply(it -> it.controller().offered()));
  }

  private static <T> CompletableFuture<T> failing(
      CompletableFuture<T> answer, Function<Throwable, ControllerException> failure) {
    return answer.exceptionallyCompose(
        thrown -> CompletableFuture.failedFuture(failure.apply(Unwrapped.of(thrown))));
  }

  // ---- lists

  CompletableFuture<Page<VolumeEntry>> list(PluginId plugin, PageRequest page) {
    Subject subject = ofList(plugin, "volumes");
    ListVolumesRequest.Builder request = ListVolumesRequest.builder().maxEntries(page.maxEntries());
    page.token().ifPresent(request::startingToken);
    return runner.asked(
        subject,
        failing(
            controllers
                .connected(plugin, subject)
                .thenCompose(it -> service(it).async().listVolumes(request.build()))
                .thenApply(
                    answer -> {
                      places.saw(plugin, answer.entries());
                      return answer;
                    }),
            thrown ->
                thrown instanceof CsiException failed
                    ? typed(subject, failed)
                    : ControllerFailures.of(subject, thrown)));
  }

  Listing<VolumeEntry> volumes(PluginId plugin) {
    return places.following(plugin, listing(plugin, "volumes", ControllerService::volumes));
  }

  /** The volumes that a cluster has created and that have no record here. */
  List<VolumeEntry> unknown(PluginId plugin, ClusterIdentity cluster) {
    List<VolumeEntry> made = new ArrayList<>();
    volumes(plugin)
        .forEach(
            each -> {
              if (ClusterNames.in(each.volume(), cluster).isPresent()) {
                made.add(each);
              }
            });
    // The store itself is read, and only after the list: a volume that is created meanwhile is
    // recorded before it is listed.
    Set<VolumeId> ids = new HashSet<>();
    Set<String> names = new HashSet<>();
    for (CatalogEntry record : catalog.scanned()) {
      if (record.spec().plugin().equals(plugin)) {
        record.id().ifPresent(ids::add);
        record.name().ifPresent(names::add);
      }
    }
    made.removeIf(
        each ->
            ids.contains(each.volume().id())
                || names.contains(ClusterNames.in(each.volume(), cluster).orElseThrow()));
    return List.copyOf(made);
  }

  /** The health of volumes; the secrets are requested at each reading. */
  Listing<VolumeHealthReport> health(
      PluginId plugin, Supplier<Optional<SecretsReference>> secrets) {
    String what = "health of the volumes";
    Subject subject = ofList(plugin, what);
    return () -> {
      Optional<SecretsReference> reference = secrets.get();
      ControllerFacts facts = OperationRunner.await(subject, controllers.facts(plugin, subject));
      if (!facts.offers(ControllerCapability.LIST_VOLUME_HEALTH)
          && facts.offers(ControllerCapability.VOLUME_CONDITION)) {
        return Conditions.reports(volumes(plugin)).iterator();
      }
      return this.<VolumeHealthReport>listing(
              plugin,
              what,
              it ->
                  it.volumeHealth(
                      ControllerListVolumeHealthRequest.builder()
                          .secrets(
                              secrets(
                                  plugin,
                                  reference,
                                  CsiOperation.CONTROLLER_LIST_VOLUME_HEALTH,
                                  subject))
                          .build()))
          .iterator();
    };
  }

  /** The reference to the secrets of a plugin's volumes, if all of them have the same. */
  Optional<SecretsReference> commonSecrets(PluginId plugin) {
    Set<Optional<SecretsReference>> secrets =
        catalog.volumes().stream()
            .filter(volume -> volume.plugin().equals(plugin))
            .map(volume -> volume.spec().secrets())
            .collect(Collectors.toSet());
    return secrets.size() == 1 ? secrets.iterator().next() : Optional.empty();
  }

  Listing<Snapshot> snapshots(PluginId plugin, Optional<SecretsReference> reference) {
    String what = "snapshots";
    return listing(
        plugin,
        what,
        it ->
            it.snapshots(
                ListSnapshotsRequest.builder()
                    .secrets(
                        secrets(
                            plugin, reference, CsiOperation.LIST_SNAPSHOTS, ofList(plugin, what)))
                    .build()));
  }

  private Secrets secrets(
      PluginId plugin,
      Optional<SecretsReference> reference,
      CsiOperation operation,
      Subject subject) {
    return OperationRunner.await(
        subject, controllers.secrets(plugin, calls.secretsOf(reference), operation, subject));
  }

  private <T> Listing<T> listing(
      PluginId plugin, String what, Function<ControllerService, Listing<T>> begin) {
    Subject subject = ofList(plugin, what);
    return () -> {
      Iterator<T> all =
          begin
              .apply(
                  service(OperationRunner.await(subject, controllers.connected(plugin, subject))))
              .iterator();
      return new Iterator<>() {
        @Override
        public boolean hasNext() {
          return told(subject, all::hasNext);
        }

        @Override
        public T next() {
          return told(subject, all::next);
        }
      };
    };
  }

  /** The controller service of a plugin, with the timeouts and retries of the settings. */
  private ControllerService service(CsiPlugin plugin) {
    return plugin.controller().with(policy);
  }

  private static Subject ofList(PluginId plugin, String what) {
    return Subject.of("listing the " + what + " of plugin '" + plugin + "'");
  }

  private static <T> T told(Subject subject, Supplier<T> step) {
    try {
      return step.get();
    } catch (CsiException failed) {
      throw typed(subject, failed);
    }
  }

  private static ControllerException typed(Subject subject, CsiException failed) {
    if (failed.code() == StatusCode.ABORTED) {
      return ControllerFailures.failed(
          ChangeOutcome.REFUSED, OperatorCode.LISTING_TOKEN_EXPIRED, subject, "", failed);
    }
    if (failed instanceof CsiAnswerException answer
        && answer.violations().stream().anyMatch(each -> each.rule() == Rule.ENDLESS)) {
      return new ControllerException(
          ChangeOutcome.REFUSED,
          Messages.of(
              OperatorCode.LISTING_ENDLESS, subject, ControllerFailures.text(answer.violations())),
          answer.violations(),
          answer);
    }
    return ControllerFailures.of(subject, failed);
  }
}
