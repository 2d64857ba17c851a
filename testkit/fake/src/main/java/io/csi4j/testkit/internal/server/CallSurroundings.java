package io.csi4j.testkit.internal.server;

import io.csi4j.testkit.internal.backend.Backend;
import io.csi4j.testkit.internal.journal.PluginJournal;
import io.csi4j.testkit.model.PluginClock;
import io.csi4j.testkit.model.PluginShape;
import java.util.function.Supplier;

/**
 * What every call of a plugin needs on its way.
 *
 * @param backend does the work
 * @param journal is told
 * @param clock says the time
 * @param workers lend their threads
 * @param gate is shut while the plugin is frozen
 * @param pen holds the calls that hang
 * @param shape what the plugin is at the moment
 */
record CallSurroundings(
    Backend backend,
    PluginJournal journal,
    PluginClock clock,
    PluginWorkers workers,
    HoldingGate gate,
    HoldingGate pen,
    Supplier<PluginShape> shape) {}
