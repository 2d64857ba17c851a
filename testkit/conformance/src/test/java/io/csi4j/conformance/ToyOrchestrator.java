package io.csi4j.conformance;

import io.csi4j.client.model.VolumeContext;
import io.csi4j.client.model.VolumeId;
import io.csi4j.conformance.model.MountOrder;
import io.csi4j.conformance.model.OrchestratorUnderTest;
import io.csi4j.conformance.model.ScenarioWorkload;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/** A small orchestrator: lawful, unless told otherwise. Its disk is a map that outlives a crash. */
final class ToyOrchestrator implements OrchestratorUnderTest {

  private final ToyNode process;

  private ToyOrchestrator(ToyNode process) {
    this.process = process;
  }

  static Factory with(Defect... defects) {
    Set<Defect> all = EnumSet.noneOf(Defect.class);
    all.addAll(Arrays.asList(defects));
    ConcurrentMap<Path, ConcurrentMap<VolumeId, ToyVolume>> disks = new ConcurrentHashMap<>();
    return setting -> {
      if (all.contains(Defect.FORGETS_AT_RESTART)) {
        disks.remove(setting.directory());
      }
      ConcurrentMap<VolumeId, ToyVolume> disk =
          disks.computeIfAbsent(setting.directory(), first -> new ConcurrentHashMap<>());
      return new ToyOrchestrator(new ToyNode(setting, disk, all));
    };
  }

  @Override
  public Path mount(MountOrder order) {
    return process.mount(order);
  }

  @Override
  public void unmount(VolumeId volume, ScenarioWorkload workload) {
    process.unmount(volume, workload);
  }

  @Override
  public void refresh(MountOrder order) {
    process.refresh(order);
  }

  @Override
  public Optional<Path> mountInline(
      String volume, ScenarioWorkload workload, VolumeContext attributes) {
    return Optional.of(process.mountInline(volume, workload, attributes));
  }

  @Override
  public void unmountInline(String volume, ScenarioWorkload workload) {
    process.unmountInline(volume, workload);
  }

  @Override
  public void close() {
    process.close();
  }
}
