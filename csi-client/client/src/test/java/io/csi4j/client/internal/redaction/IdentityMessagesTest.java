package io.csi4j.client.internal.redaction;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Descriptors.MethodDescriptor;
import io.csi4j.client.internal.proto.CsiProto;
import org.junit.jupiter.api.Test;

/** What the call path takes for granted of the identity service. */
class IdentityMessagesTest {

  @Test
  void requestsHaveNoFieldToCheckAndAnswersHoldNothingSensitive() {
    for (MethodDescriptor method :
        CsiProto.getDescriptor().findServiceByName("Identity").getMethods()) {
      assertThat(method.getInputType().getFields()).isEmpty();
      assertThat(SpecFields.canBeSensitive(method.getOutputType())).isFalse();
    }
  }
}
