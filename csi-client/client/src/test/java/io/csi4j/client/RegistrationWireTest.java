package io.csi4j.client;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.FileDescriptor;
import com.google.protobuf.Descriptors.MethodDescriptor;
import com.google.protobuf.Descriptors.ServiceDescriptor;
import io.csi4j.client.internal.proto.RegistrationProto;
import io.csi4j.client.registration.RegistrarException.Call;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;

/** What travels between a registrar and who watches it, as registrars of Kubernetes speak it. */
class RegistrationWireTest {

  private static final FileDescriptor FILE = RegistrationProto.getDescriptor();

  @Test
  void theServiceHasTheNamesOfTheProtocol() {
    ServiceDescriptor service = FILE.getServices().get(0);

    assertThat(FILE.getServices()).hasSize(1);
    assertThat(service.getFullName()).isEqualTo("pluginregistration.Registration");
    assertThat(service.getMethods())
        .extracting(RegistrationWireTest::shown)
        .containsExactly(
            "GetInfo(InfoRequest) PluginInfo",
            "NotifyRegistrationStatus(RegistrationStatus) RegistrationStatusResponse");
    assertThat(Arrays.stream(Call.values()).map(Call::rpcName))
        .containsExactlyElementsOf(
            service.getMethods().stream().map(MethodDescriptor::getName).toList());
  }

  @Test
  void theFieldsHaveTheNumbersAndTypesOfTheProtocol() {
    List<String> fields =
        FILE.getMessageTypes().stream()
            .map(Descriptor::getFields)
            .flatMap(List::stream)
            .map(RegistrationWireTest::shown)
            .toList();

    assertThat(fields)
        .containsExactly(
            "PluginInfo.type = 1 string",
            "PluginInfo.name = 2 string",
            "PluginInfo.endpoint = 3 string",
            "PluginInfo.supported_versions = 4 string repeated",
            "RegistrationStatus.plugin_registered = 1 bool",
            "RegistrationStatus.error = 2 string");
  }

  private static String shown(MethodDescriptor method) {
    assertThat(method.isClientStreaming() || method.isServerStreaming()).isFalse();
    return method.getName()
        + "("
        + method.getInputType().getName()
        + ") "
        + method.getOutputType().getName();
  }

  private static String shown(FieldDescriptor field) {
    return field.getContainingType().getName()
        + "."
        + field.getName()
        + " = "
        + field.getNumber()
        + " "
        + field.getType().name().toLowerCase(Locale.ROOT)
        + (field.isRepeated() ? " repeated" : "");
  }
}
