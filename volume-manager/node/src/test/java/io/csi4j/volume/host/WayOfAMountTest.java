package io.csi4j.volume.host;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.jdi.Bootstrap;
import com.sun.jdi.ClassType;
import com.sun.jdi.ReferenceType;
import com.sun.jdi.VirtualMachine;
import com.sun.jdi.connect.Connector;
import com.sun.jdi.connect.LaunchingConnector;
import com.sun.jdi.event.BreakpointEvent;
import com.sun.jdi.event.ClassPrepareEvent;
import com.sun.jdi.event.Event;
import com.sun.jdi.event.EventSet;
import com.sun.jdi.event.MethodEntryEvent;
import com.sun.jdi.event.VMDeathEvent;
import com.sun.jdi.event.VMDisconnectEvent;
import com.sun.jdi.request.ClassPrepareRequest;
import com.sun.jdi.request.EventRequest;
import com.sun.jdi.request.MethodEntryRequest;
import io.csi4j.mount.campaign.PlayedInShares;
import io.csi4j.volume.manager.VolumeManager;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The classes of the node module that an ordinary mount enters, counted by a debugger. Whoever
 * wants to know what a mount does has to know these; a new one is a decision.
 */
@Tag("campaign")
@PlayedInShares
class WayOfAMountTest {

  /** Values and the flight recorder's event, which decide nothing. */
  private static final Set<String> VALUES =
      Set.of("ManagerSettings", "MountRequest", "Operation", "VolumeOperationEvent");

  private static final String PROGRAM = OneMount.class.getName();

  /** Where the classes of the module are. */
  private static final String MODULE =
      VolumeManager.class.getProtectionDomain().getCodeSource().getLocation().toString();

  @Test
  void aMountPassesTwentyEightClassesThatAreNoValues(@TempDir Path directory) throws Exception {
    Set<String> entered = entered(directory);
    entered.removeAll(VALUES);
    assertThat(entered)
        .containsExactlyInAnyOrder(
            "VolumeManager",
            "OpenedManager",
            "VolumeEngine",
            "VolumeIndex",
            "VolumeQueue",
            "OperationStart",
            "OperationRun",
            "MountStory",
            "Admission",
            "Inspection",
            "VolumeMemory",
            "RecordCodec",
            "Digests",
            "VolumeReport",
            "EventHub",
            "CleanupSchedule",
            "HostList",
            "DeadMounts",
            "ForeignMounts",
            "MountOrigins",
            "PluginWatch",
            "WantedMounts",
            "VolumeDirectories",
            "IdentityFile",
            "CsiNodePlugin",
            "CsiNodePlugins",
            "NodeCallMapping",
            "SystemKernelMounts")
        .hasSize(28);
  }

  /** Returns the top-level classes of the module that are no records, enums or interfaces. */
  private static Set<String> entered(Path directory) throws Exception {
    Set<String> entered = new TreeSet<>();
    VirtualMachine machine = launch(directory);
    ClassPrepareRequest program = machine.eventRequestManager().createClassPrepareRequest();
    program.addClassFilter(PROGRAM);
    program.enable();
    MethodEntryRequest entries = machine.eventRequestManager().createMethodEntryRequest();
    entries.addClassFilter("io.csi4j.volume.*");
    entries.setSuspendPolicy(EventRequest.SUSPEND_NONE);
    machine.resume();
    boolean isOver = false;
    while (!isOver) {
      EventSet events = machine.eventQueue().remove();
      for (Event event : events) {
        isOver |= event instanceof VMDeathEvent || event instanceof VMDisconnectEvent;
        if (event instanceof ClassPrepareEvent prepared) {
          stopAt(machine, prepared.referenceType(), "begin");
          stopAt(machine, prepared.referenceType(), "end");
        } else if (event instanceof BreakpointEvent stop) {
          entries.setEnabled(stop.location().method().name().equals("begin"));
        } else if (event instanceof MethodEntryEvent entry) {
          String top = entry.method().declaringType().name().replaceAll("\\$.*", "");
          if (isOfTheChamber(top) && isClass(machine, top)) {
            entered.add(top.substring(top.lastIndexOf('.') + 1));
          }
        }
      }
      if (!isOver) {
        events.resume();
      }
    }
    assertThat(machine.process().waitFor()).as("the mount").isZero();
    return entered;
  }

  private static VirtualMachine launch(Path directory) throws Exception {
    LaunchingConnector connector = Bootstrap.virtualMachineManager().defaultConnector();
    Map<String, Connector.Argument> words = connector.defaultArguments();
    words.get("main").setValue(PROGRAM + " " + directory);
    words
        .get("options")
        .setValue(
            "-cp "
                + System.getProperty(
                    "surefire.test.class.path", System.getProperty("java.class.path")));
    return connector.launch(words);
  }

  private static void stopAt(VirtualMachine machine, ReferenceType program, String method) {
    machine
        .eventRequestManager()
        .createBreakpointRequest(program.methodsByName(method).get(0).location())
        .enable();
  }

  private static boolean isOfTheChamber(String type) {
    return VolumeManager.class
        .getClassLoader()
        .getResource(type.replace('.', '/') + ".class")
        .toString()
        .startsWith(MODULE);
  }

  private static boolean isClass(VirtualMachine machine, String type) {
    return machine.classesByName(type).stream()
        .anyMatch(
            it ->
                it instanceof ClassType known
                    && !known.isEnum()
                    && !known.superclass().name().equals(Record.class.getName()));
  }
}
