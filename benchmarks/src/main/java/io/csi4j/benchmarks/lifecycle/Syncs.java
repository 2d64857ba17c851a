package io.csi4j.benchmarks.lifecycle;

import io.csi4j.benchmarks.CountingDisk;
import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.mount.model.MountPath;
import io.csi4j.volume.internal.disk.RealDisk;
import io.csi4j.volume.internal.engine.EngineParts;
import io.csi4j.volume.internal.engine.VolumeEngine;
import io.csi4j.volume.internal.journal.Journal;
import io.csi4j.volume.internal.layout.VolumeDirectories;
import io.csi4j.volume.internal.path.PathProblem;
import io.csi4j.volume.internal.port.CrashPoint;
import io.csi4j.volume.internal.real.RealParts;
import io.csi4j.volume.model.WorkContext;
import io.csi4j.volume.node.ManagerSettings;
import io.csi4j.volume.state.JournalSettings;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * The files and directories that a manager syncs to mount and unmount one volume.
 *
 * @param journal the sizes of the journal's records
 * @param files the sizes of the other files
 * @param directories the number of directories
 */
record Syncs(List<Integer> journal, List<Integer> files, int directories) {

  private static final int VOLUME = 1;

  /** Copies the lists. */
  Syncs {
    journal = List.copyOf(journal);
    files = List.copyOf(files);
  }

  /** Counts the syncs, with an engine on disks that record all syncs. */
  static Syncs counted(Path root, CsiEndpoint endpoint) throws PathProblem {
    CountingDisk underJournal = new CountingDisk(new RealDisk());
    CountingDisk underDirectories = new CountingDisk(new RealDisk());
    try (RealParts real =
        RealParts.open(MountPath.of(root), ManagerSettings.defaults(), Optional.empty())) {
      VolumeDirectories directories = new VolumeDirectories(underDirectories, real.layout());
      if (!real.plugins().register(Volumes.binding(endpoint)).isEmpty()
          || !directories.prepareRoot().isEmpty()) {
        throw new IllegalStateException("Something is wrong with the plugin or the root.");
      }
      try (Journal journal =
          Journal.open(
              underJournal, real.layout().state().toPath(), JournalSettings.builder().build())) {
        EngineParts usual =
            real.parts(
                journal,
                CrashPoint.Listener.NONE,
                event -> {},
                asked -> {},
                (operation, call) -> WorkContext.none());
        VolumeEngine engine =
            VolumeEngine.open(
                new EngineParts(
                    usual.clock(),
                    usual.scheduler(),
                    usual.kernel(),
                    usual.plugins(),
                    usual.state(),
                    directories,
                    usual.layout(),
                    usual.settings(),
                    usual.points(),
                    usual.events(),
                    usual.claims()));
        // The first time, the engine also connects to the plugin and stores it, so this time is not
        // counted.
        mountAndUnmount(engine, endpoint);
        underJournal.clear();
        underDirectories.clear();
        mountAndUnmount(engine, endpoint);
        Syncs syncs =
            new Syncs(
                underJournal.files(),
                underDirectories.files(),
                underJournal.directories().size() + underDirectories.directories().size());
        engine.close().join();
        return syncs;
      }
    }
  }

  private static void mountAndUnmount(VolumeEngine engine, CsiEndpoint endpoint) {
    engine.mount(Volumes.request(Volumes.plugin(endpoint), VOLUME)).join();
    engine.unmount(Volumes.usage(VOLUME)).join();
  }
}
