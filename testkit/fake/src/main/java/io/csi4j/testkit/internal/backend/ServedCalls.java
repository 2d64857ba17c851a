package io.csi4j.testkit.internal.backend;

import io.csi4j.client.controller.ControllerCapability;
import io.csi4j.client.group.GroupControllerCapability;
import io.csi4j.client.identity.PluginCapability;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.StatusCode;
import io.csi4j.client.node.NodeCapability;
import io.csi4j.testkit.internal.spec.CallNeeds;
import io.csi4j.testkit.model.PluginShape;
import java.util.List;
import java.util.function.Predicate;

/** Which calls a plugin serves, by what it offers. */
final class ServedCalls {

  private ServedCalls() {}

  static void check(CsiOperation operation, Call call) throws Refusal {
    PluginShape shape = call.shape();
    switch (operation.service()) {
      case IDENTITY -> {}
      case CONTROLLER -> {
        service(operation, shape, PluginCapability.CONTROLLER_SERVICE);
        one(operation, name -> shape.offers(ControllerCapability.valueOf(name)));
      }
      case GROUP_CONTROLLER -> {
        service(operation, shape, PluginCapability.GROUP_CONTROLLER_SERVICE);
        one(operation, name -> shape.offers(GroupControllerCapability.valueOf(name)));
      }
      case SNAPSHOT_METADATA ->
          service(operation, shape, PluginCapability.SNAPSHOT_METADATA_SERVICE);
      case NODE -> {
        need(operation, call.node() != null, "the node service, which another socket serves");
        one(operation, name -> shape.offers(NodeCapability.valueOf(name)));
      }
    }
  }

  private static void service(
      CsiOperation operation, PluginShape shape, PluginCapability capability) throws Refusal {
    need(operation, shape.offers(capability), capability.name());
  }

  /** Refuses a call if the plugin offers none of the capabilities that the call needs. */
  private static void one(CsiOperation operation, Predicate<String> offers) throws Refusal {
    List<String> anyOf = CallNeeds.of(operation).capabilities();
    if (!anyOf.isEmpty()) {
      need(operation, anyOf.stream().anyMatch(offers), anyOf.get(0));
    }
  }

  private static void need(CsiOperation operation, boolean offered, String what) throws Refusal {
    if (!offered) {
      throw new Refusal(
          StatusCode.UNIMPLEMENTED,
          operation.rpcName()
              + " is not served: this plugin does not offer "
              + what
              + ". Read its capabilities before calling.");
    }
  }
}
