package io.csi4j.testkit.internal.server;

import io.csi4j.client.model.NodeId;
import io.csi4j.testkit.model.PluginClock;
import io.csi4j.testkit.model.PluginShape;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a plugin starts with.
 *
 * @param shape what it is
 * @param nodes where it runs
 * @param socket its main socket, others beside it; null for one in a directory of its own
 * @param clock its time; null for real time
 * @param visiblePaths whether the paths in calls are looked at for the journal
 */
public record CoreSettings(
    PluginShape shape,
    List<NodeId> nodes,
    @Nullable Path socket,
    @Nullable PluginClock clock,
    boolean visiblePaths) {}
