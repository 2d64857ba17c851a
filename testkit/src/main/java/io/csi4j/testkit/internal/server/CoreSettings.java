package io.csi4j.testkit.internal.server;

import io.csi4j.client.NodeId;
import io.csi4j.testkit.PluginClock;
import io.csi4j.testkit.PluginShape;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a plugin starts with.
 *
 * @param shape what it is
 * @param nodes where it runs
 * @param directory for its sockets; null for one of its own
 * @param clock its time; null for real time
 * @param visiblePaths whether the paths in calls are looked at for the journal
 */
public record CoreSettings(
    PluginShape shape,
    List<NodeId> nodes,
    @Nullable Path directory,
    @Nullable PluginClock clock,
    boolean visiblePaths) {}
