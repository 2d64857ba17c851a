package io.csi4j.volume.controller;

import io.csi4j.client.controller.Capacity;
import io.csi4j.client.controller.ControllerCapability;
import io.csi4j.client.controller.ControllerExpandVolumeRequest;
import io.csi4j.client.controller.ControllerExpandVolumeResult;
import io.csi4j.client.controller.ControllerGetVolumeRequest;
import io.csi4j.client.controller.ControllerModifyVolumeRequest;
import io.csi4j.client.controller.CreateVolumeRequest;
import io.csi4j.client.controller.GetCapacityRequest;
import io.csi4j.client.controller.ValidateVolumeCapabilitiesRequest;
import io.csi4j.client.controller.ValidationResult;
import io.csi4j.client.controller.VolumeContentSource;
import io.csi4j.client.controller.VolumeEntry;
import io.csi4j.client.model.CapacityRange;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.Topology;
import io.csi4j.client.model.VolumeCapability;
import io.csi4j.client.model.VolumeId;
import io.csi4j.volume.catalog.CatalogEntry;
import io.csi4j.volume.catalog.CatalogVolume;
import io.csi4j.volume.catalog.CreationName;
import io.csi4j.volume.catalog.RequestedTopologies;
import io.csi4j.volume.catalog.SecretsReference;
import io.csi4j.volume.catalog.VolumeSpec;
import io.csi4j.volume.internal.text.Subject;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.SecretsProvider;
import io.csi4j.volume.model.VolumeIdentity;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.function.Function;

/**
 * Makes the calls of volumes from what is on record of them.
 *
 * @param secrets where the secrets of a reference come from
 */
record VolumeCalls(Function<SecretsReference, SecretsProvider> secrets) {

  /** Where the secrets of a volume come from. */
  SecretsProvider secretsOf(VolumeSpec spec) {
    return secretsOf(spec.secrets());
  }

  /**
   * Returns secrets by reference; the host is asked for its provider, too, only when a call is
   * sent.
   */
  SecretsProvider secretsOf(Optional<SecretsReference> reference) {
    return reference
        .<SecretsProvider>map(
            name -> SecretsProvider.async(operation -> provider(name).asyncSecretsFor(operation)))
        .orElseGet(SecretsProvider::none);
  }

  private SecretsProvider provider(SecretsReference name) {
    return secrets.apply(name);
  }

  static VolumeIdentity identity(CatalogVolume volume) {
    return new VolumeIdentity(volume.plugin(), volume.id());
  }

  /** As in {@code creating volume 'default/db-1' (csi4j-k7x2) of plugin 'p'}. */
  static Subject creating(CatalogEntry record) {
    return Subject.of(
        "creating volume '"
            + record.key()
            + "' ("
            + record.name().map(CreationName::value).orElse("")
            + ") of plugin '"
            + record.spec().plugin()
            + "'");
  }

  /** The ways of use, with the modes that the plugin knows in the place of those it does not. */
  static List<VolumeCapability> capabilities(
      VolumeSpec spec, ControllerFacts facts, boolean olderModes) {
    return spec.capabilitiesInFull().stream()
        .map(each -> known(each, facts, olderModes))
        .distinct()
        .toList();
  }

  /**
   * The same way of use, under a mode that the plugin knows.
   *
   * @param olderModes whether the volume is on record as one for older modes
   */
  static VolumeCapability known(
      VolumeCapability capability, ControllerFacts facts, boolean olderModes) {
    return !olderModes && facts.offers(ControllerCapability.SINGLE_NODE_MULTI_WRITER)
        ? capability
        : capability.withAccessMode(capability.accessMode().withoutSingleNodeMultiWriter());
  }

  ControllerCall<io.csi4j.client.controller.Volume> create(
      CatalogEntry record, ControllerFacts facts) {
    VolumeSpec spec = record.spec();
    String name = record.name().orElseThrow().value();
    SortedSet<VolumeLane> lanes = ControllerCalls.lanes(VolumeLane.name(spec.plugin(), name));
    if (spec.source().orElse(null) instanceof VolumeContentSource.FromVolume from) {
      lanes.add(VolumeLane.of(spec.plugin(), from.volumeId()));
    }
    return new ControllerCall<>(
        spec.plugin(),
        CsiOperation.CREATE_VOLUME,
        creating(record),
        lanes,
        secretsOf(spec),
        (services, given) -> {
          CreateVolumeRequest.Builder request =
              CreateVolumeRequest.builder(name, capabilities(spec, facts, record.olderModes()))
                  .parameters(spec.parameters())
                  .mutableParameters(spec.mutableParameters())
                  .secrets(given);
          spec.capacity().ifPresent(request::capacityRange);
          spec.source().ifPresent(request::contentSource);
          spec.topologies()
              .map(RequestedTopologies::requirement)
              .ifPresent(request::accessibilityRequirements);
          return services.controller().createVolume(request.build());
        });
  }

  ControllerCall<ValidationResult> validate(CatalogVolume volume, ControllerFacts facts) {
    VolumeSpec spec = volume.spec();
    return of(
        volume,
        CsiOperation.VALIDATE_VOLUME_CAPABILITIES,
        "validating",
        (services, given) ->
            services
                .controller()
                .validateVolumeCapabilities(
                    ValidateVolumeCapabilitiesRequest.builder(
                            volume.id(), capabilities(spec, facts, false))
                        .volumeContext(volume.context())
                        .parameters(spec.parameters())
                        .mutableParameters(spec.mutableParameters())
                        .secrets(given)
                        .build()));
  }

  ControllerCall<ControllerExpandVolumeResult> expand(
      CatalogVolume volume, CapacityRange to, VolumeCapability capability) {
    return of(
        volume,
        CsiOperation.CONTROLLER_EXPAND_VOLUME,
        "expanding",
        (services, given) ->
            services
                .controller()
                .expandVolume(
                    ControllerExpandVolumeRequest.builder(volume.id(), to)
                        .capability(capability)
                        .secrets(given)
                        .build()));
  }

  ControllerCall<Done> modify(CatalogVolume volume, Map<String, String> mutableParameters) {
    return of(
        volume,
        CsiOperation.CONTROLLER_MODIFY_VOLUME,
        "modifying",
        (services, given) ->
            services
                .controller()
                .modifyVolume(
                    ControllerModifyVolumeRequest.builder(volume.id(), mutableParameters)
                        .secrets(given)
                        .build())
                .thenApply(none -> Done.DONE));
  }

  ControllerCall<VolumeEntry> inspect(CatalogVolume volume) {
    return of(
        volume,
        CsiOperation.CONTROLLER_GET_VOLUME,
        "reading",
        (services, given) ->
            services
                .controller()
                .getVolume(ControllerGetVolumeRequest.builder(volume.id()).build()));
  }

  ControllerCall<Done> delete(VolumeSpec spec, VolumeId volume) {
    return ControllerCalls.delete(new VolumeIdentity(spec.plugin(), volume), secretsOf(spec));
  }

  /** With just what creating one would send. */
  static ControllerCall<Capacity> capacity(
      VolumeSpec spec, Optional<Topology> place, ControllerFacts facts) {
    PluginId plugin = spec.plugin();
    return new ControllerCall<>(
        plugin,
        CsiOperation.GET_CAPACITY,
        Subject.of("reading the capacity of plugin '" + plugin + "'"),
        ControllerCalls.lanes(),
        SecretsProvider.none(),
        (services, given) -> {
          GetCapacityRequest.Builder request =
              GetCapacityRequest.builder()
                  .capabilities(capabilities(spec, facts, false))
                  .parameters(spec.parameters());
          place.ifPresent(request::accessibleTopology);
          return services.controller().getCapacity(request.build());
        });
  }

  private <T> ControllerCall<T> of(
      CatalogVolume volume,
      CsiOperation operation,
      String doing,
      ControllerCall.Sending<T> sending) {
    return new ControllerCall<>(
        volume.plugin(),
        operation,
        Subject.of(doing, identity(volume)),
        ControllerCalls.lanes(VolumeLane.of(volume.plugin(), volume.id())),
        secretsOf(volume.spec()),
        sending);
  }
}
