package io.csi4j.conformance.model;

import io.csi4j.client.model.VolumeContext;
import io.csi4j.client.model.VolumeId;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The adapter that an orchestrator's author writes, through which the suite drives the orchestrator
 * on one node.
 *
 * <p>The suite calls {@link #mount} and {@link #unmount} on many threads at a time. Any exception
 * means that the request failed; the suite then repeats the request, or gives up with {@link
 * #unmount}, as a workload runner does. An orchestrator may finish pending work in the background.
 *
 * <p>A crash is {@link #close}, followed by {@link Factory#start} with the same setting: everything
 * in memory is lost, and the files in the directory remain.
 *
 * @since 1.0
 */
public interface OrchestratorUnderTest extends AutoCloseable {

  /**
   * Makes a volume usable for a workload, and returns its path. A repeated request for the same
   * pair returns the same path.
   *
   * @throws Exception if the volume is not usable for the workload now
   */
  Path mount(MountOrder order) throws Exception;

  /**
   * Takes the volume from the workload, and releases what is no longer used. Succeeds for a pair
   * that was never mounted, or is unmounted already. Undoes a failed mount of the pair.
   *
   * @throws Exception if work is still pending; the suite repeats the request
   */
  void unmount(VolumeId volume, ScenarioWorkload workload) throws Exception;

  /**
   * Publishes a volume again for a workload that has it, at the same path, with newly looked up
   * secrets, for plugins whose tokens expire. This is optional: the default implementation does
   * nothing. The workload keeps its volume in any case.
   *
   * @throws Exception if the plugin refused it
   */
  default void refresh(MountOrder order) throws Exception {}

  /**
   * Publishes an inline volume for a workload: the plugin creates the volume when it is published,
   * and deletes it when it is unpublished. The orchestrator chooses the id of the volume. A
   * repeated request for the same pair returns the same path. Support for inline volumes is
   * optional: the default implementation does not support them.
   *
   * @param volume the name of the volume in the job; many jobs may use the same name
   * @param attributes the attributes from which the plugin creates the volume
   * @return the path; empty if the orchestrator does not support inline volumes
   * @throws Exception if the volume is not usable for the workload now
   */
  default Optional<Path> mountInline(
      String volume, ScenarioWorkload workload, VolumeContext attributes) throws Exception {
    return Optional.empty();
  }

  /**
   * Takes an inline volume from its workload, which deletes the volume. The default implementation
   * unmounts the volume whose id is this name.
   *
   * @throws Exception if work is still pending; the suite repeats the request
   */
  default void unmountInline(String volume, ScenarioWorkload workload) throws Exception {
    unmount(VolumeId.of(volume), workload);
  }

  /**
   * Ends the orchestrator even if it is busy: everything in memory is lost, and nothing is cleaned
   * up. Requests in progress are lost: their threads may fail, or never return.
   */
  @Override
  void close();

  /** Starts orchestrators. */
  @FunctionalInterface
  interface Factory {

    /**
     * Starts an orchestrator. The plugin is already listening. After a crash the setting is the
     * same, and its directory contains the files that the previous orchestrator wrote; the paths of
     * volumes must not change.
     *
     * @throws Exception if the orchestrator does not start
     */
    OrchestratorUnderTest start(OrchestratorSetting setting) throws Exception;
  }
}
