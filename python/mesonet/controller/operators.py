"""Operators that the network of a policy may have: functions of numbers, each of which ends.

The same seed gives the same run, and every decision is made. So loops, branches, functions of its
own and whatever draws numbers are no part of a policy.
"""

from __future__ import annotations

_NETWORKS = """
    Abs Acos Acosh Add And ArgMax ArgMin Asin Asinh Atan Atanh Attention AveragePool
    BatchNormalization Cast CastLike Ceil Celu Clip Compress Concat Constant ConstantOfShape Conv
    ConvInteger ConvTranspose Cos Cosh CumSum DepthToSpace DequantizeLinear Div
    DynamicQuantizeLinear Einsum Elu Equal Erf Exp Expand EyeLike Flatten Floor GRU Gather
    GatherElements GatherND Gelu Gemm GlobalAveragePool GlobalMaxPool Greater GreaterOrEqual
    GroupNormalization HardSigmoid HardSwish Hardmax Identity InstanceNormalization IsInf IsNaN LRN
    LSTM LayerNormalization LeakyRelu Less LessOrEqual Log LogSoftmax LpNormalization LpPool MatMul
    MatMulInteger Max MaxPool Mean MeanVarianceNormalization Min Mish Mod Mul Neg NonZero Not OneHot
    Or PRelu Pad Pow QLinearConv QLinearMatMul QuantizeLinear RMSNormalization RNN Range Reciprocal
    ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp ReduceMax ReduceMean ReduceMin ReduceProd
    ReduceSum ReduceSumSquare Relu Reshape Resize RotaryEmbedding Round ScatterElements ScatterND
    Selu Shape Shrink Sigmoid Sign Sin Sinh Size Slice Softmax Softplus Softsign SpaceToDepth Split
    Sqrt Squeeze Sub Sum Swish Tan Tanh ThresholdedRelu Tile TopK Transpose Trilu Unsqueeze Where
    Xor
"""
_ESTIMATORS = """
    ArrayFeatureExtractor Binarizer FeatureVectorizer Imputer LinearClassifier LinearRegressor
    Normalizer OneHotEncoder SVMClassifier SVMRegressor Scaler TreeEnsemble TreeEnsembleClassifier
    TreeEnsembleRegressor
"""
_OPERATORS = {
    "": frozenset(_NETWORKS.split()),
    "ai.onnx": frozenset(_NETWORKS.split()),
    "ai.onnx.ml": frozenset(_ESTIMATORS.split()),
}
"""Operators by the domain that defines them: of neural networks and of scikit-learn's models."""


def other_operators(content: bytes) -> list[str]:
    """Names of what the network of an ONNX file has and a policy may not have, each once.

    Raises:
        Exception: it is no ONNX file; one of several of the library, which share no base.
    """
    import onnx

    model = onnx.load_model_from_string(content)
    foreign = [it for it in model.graph.node if it.op_type not in _OPERATORS.get(it.domain, ())]
    names = [f"{it.domain}.{it.op_type}".lstrip(".") for it in foreign]
    names += [f"function {it.domain}.{it.name}" for it in model.functions]
    return list(dict.fromkeys(names))
